internal import PushTime

/// Reads the times of the input: seconds or milliseconds since 1970, or the forms of ISO 8601 that are in use.
///
/// Millions of lines may have a time, so this does not use Foundation.
enum InputTime {
    /// The year 5138 in seconds. Larger numbers are milliseconds.
    private static let millisecondsBegin: Int64 = 100_000_000_000

    /// Converts a number since 1970 to milliseconds.
    static func milliseconds(_ number: Int64) -> Int64? {
        if number.magnitude >= millisecondsBegin.magnitude { return number }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : milliseconds
    }

    /// Reads `1732240000`, `1732240000123`, or a time as in ``ISOTime``, as milliseconds since 1970.
    static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return milliseconds(number) }
        return ISOTime.millisecondsSince1970(text)
    }
}
