package import PushPlatform

extension Date {
    /// The times that can be written as RFC 3339: the years 1 to 9999.
    package static let writable =
        Date(timeIntervalSince1970: -62_135_769_600)...Date(timeIntervalSince1970: 253_402_300_799.999)

    /// The time as RFC 3339 in UTC, with milliseconds: `2026-11-24T10:00:00.000Z`. Times outside of ``writable`` are shown as
    /// its first or its last one.
    package var rfc3339: String {
        let shown = min(max(self, Self.writable.lowerBound), Self.writable.upperBound)
        return Date(timeIntervalSince1970: Double(shown.millisecondsSince1970) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Parses a time in the years 1 to 9999: RFC 3339, a date without a time (midnight UTC), or seconds since 1970.
    package init?(text: String) {
        guard let date = Self.parse(text), Self.writable.contains(date) else { return nil }
        self = date
    }

    private static func parse(_ text: String) -> Date? {
        if let seconds = Double(text) { return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil }
        guard text.utf8.count <= 40 else { return nil }
        let whole = text.contains("T") ? text : "\(text)T00:00:00Z"
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            if let date = try? Date(whole, strategy: style) { return date }
        }
        return nil
    }
}
