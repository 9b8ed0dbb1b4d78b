package import PushPlatform

extension Date {
    /// Milliseconds since 1970, the unit of `timestamp` in the body of a 410. Clamped to the range of `Int64`.
    package var millisecondsSince1970: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    /// Returns the seconds from the right date to the left one. Negative if the right one is later.
    package static func - (later: Date, earlier: Date) -> Double {
        later.timeIntervalSince(earlier)
    }
}
