import PushPlatform

extension Date {
    /// The time as RFC 3339 in UTC, with milliseconds: `2026-11-24T10:00:00.000Z`.
    package var rfc3339: String {
        Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Parses a time: RFC 3339, a date without a time (midnight UTC), or seconds since 1970.
    package init?(text: String) {
        if let seconds = Double(text), seconds.isFinite, abs(seconds) < 1e12 {
            self.init(timeIntervalSince1970: seconds)
            return
        }
        let whole = text.contains("T") ? text : "\(text)T00:00:00Z"
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            guard let date = try? Date(whole, strategy: style) else { continue }
            self.init(timeIntervalSince1970: date.timeIntervalSince1970)
            return
        }
        return nil
    }
}
