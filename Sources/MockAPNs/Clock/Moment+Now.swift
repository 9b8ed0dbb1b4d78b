import PushPlatform

extension Moment {
    /// The time on the system's clock.
    package static var system: Moment { now }

    /// The time of the wall clock.
    static var now: Moment { Moment(secondsSince1970: Date().timeIntervalSince1970) }
}
