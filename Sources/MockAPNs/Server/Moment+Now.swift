import PushPlatform

extension Moment {
    /// The time of the wall clock.
    static var now: Moment { Moment(secondsSince1970: Date().timeIntervalSince1970) }
}
