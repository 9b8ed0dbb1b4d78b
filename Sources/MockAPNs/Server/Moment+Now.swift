#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Moment {
    /// The time of the wall clock.
    static var now: Moment { Moment(secondsSince1970: Date().timeIntervalSince1970) }
}
