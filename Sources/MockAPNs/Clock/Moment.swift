/// A point in time: seconds since 1970, UTC.
public struct Moment: Hashable, Sendable, Comparable {
    /// Seconds since 1970, with fractions.
    public let secondsSince1970: Double

    /// Creates a moment from seconds since 1970.
    public init(secondsSince1970: Double) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Milliseconds since 1970, the unit of `timestamp` in the body of a 410. Clamped to the range of `Int64`.
    public var millisecondsSince1970: Int64 {
        let milliseconds = (secondsSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    /// Returns the seconds from the right moment to the left one. Negative if the right one is later.
    ///
    /// - Parameters:
    ///   - later: The end of the interval.
    ///   - earlier: The start of the interval.
    /// - Returns: The number of seconds.
    public static func - (later: Moment, earlier: Moment) -> Double {
        later.secondsSince1970 - earlier.secondsSince1970
    }

    /// Whether the left moment is before the right one.
    public static func < (left: Moment, right: Moment) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}
