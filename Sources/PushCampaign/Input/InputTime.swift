internal import PushTime

/// Reads the times of the input: seconds or milliseconds since 1970, or the forms of ISO 8601 that are in use.
///
/// Millions of lines may have a time, so this does not use Foundation.
package enum InputTime {
    /// The year 5138 in seconds. Larger numbers are milliseconds.
    private static let millisecondsBegin: Int64 = 100_000_000_000

    /// Converts a number since 1970 to milliseconds.
    static func milliseconds(_ number: Int64) -> Int64? {
        if number.magnitude >= millisecondsBegin.magnitude { return number }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : milliseconds
    }

    /// Reads `1732240000`, `1732240000123`, or a time as in ``isoMilliseconds(_:)``, as milliseconds since 1970.
    static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return milliseconds(number) }
        return isoMilliseconds(text)
    }

    /// Reads a time of RFC 3339 as milliseconds since 1970. The clock, the seconds, the zone and the colon of the zone can be missing:
    /// `2026-11-22`, `2026-11-22 07:00`, `2026-11-22T07:00:00.123+0100`. Without a zone the time is UTC.
    package static func isoMilliseconds(_ text: String) -> Int64? {
        RFC3339.millisecondsSince1970(text) ?? RFC3339.millisecondsSince1970(completed(text))
    }

    /// Adds what RFC 3339 demands to a text that is a time without it. Other texts do not become times.
    private static func completed(_ text: String) -> String {
        let date = text.prefix(10)
        var clock = text.dropFirst(10)
        guard !clock.isEmpty else { return "\(date)T00:00:00Z" }
        var zone = "Z"
        if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let hours = clock[sign...].prefix(3)
            var minutes = clock[sign...].dropFirst(3)
            if minutes.first == ":" { minutes.removeFirst() }
            zone = "\(hours):\(minutes.isEmpty ? "00" : minutes)"
            clock = clock[..<sign]
        } else if clock.last == "Z" || clock.last == "z" {
            clock.removeLast()
        }
        let seconds = clock.utf8.count == "T07:00".utf8.count ? ":00" : ""
        return "\(date)\(clock)\(seconds)\(zone)"
    }
}
