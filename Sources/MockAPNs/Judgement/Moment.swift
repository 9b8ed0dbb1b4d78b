/// A point in time, as every rule of APNs counts it: seconds since 1970, UTC.
public struct Moment: Hashable, Sendable, Comparable {
    /// Seconds since 1970, with fractions.
    public let secondsSince1970: Double

    /// Takes seconds since 1970.
    public init(secondsSince1970: Double) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Milliseconds since 1970, the unit of `timestamp` in the body of a 410; held within what Int64 can carry.
    public var millisecondsSince1970: Int64 {
        let milliseconds = (secondsSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    /// The seconds from one moment to another, negative when the other is later.
    ///
    /// - Parameters:
    ///   - later: The end of the span.
    ///   - earlier: Its beginning.
    /// - Returns: Seconds.
    public static func - (later: Moment, earlier: Moment) -> Double {
        later.secondsSince1970 - earlier.secondsSince1970
    }

    /// Orders by time.
    public static func < (left: Moment, right: Moment) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}
