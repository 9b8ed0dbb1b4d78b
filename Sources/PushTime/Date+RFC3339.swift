package import PushPlatform

extension Date {
    /// The times that RFC 3339 can write: the years 1 to 9999.
    package static let writable =
        Date(timeIntervalSince1970: -62_135_596_800)...Date(timeIntervalSince1970: 253_402_300_799.999)

    /// The time as RFC 3339 in UTC, with milliseconds: `2026-11-24T10:00:00.000Z`. Times outside of ``writable`` are shown as
    /// its first or its last one.
    package var rfc3339: String {
        let first = Self.writable.lowerBound.timeIntervalSince1970
        let last = Self.writable.upperBound.timeIntervalSince1970
        // "Not a number" is not in the range, and is shown as the first time.
        let seconds = timeIntervalSince1970 >= first ? min(timeIntervalSince1970, last) : first
        return RFC3339.text(millisecondsSince1970: Int64((seconds * 1000).rounded()))
    }

    /// The time without fractions of a second, for people: `2026-11-24T10:00:00Z`.
    package var rfc3339Seconds: String {
        "\(Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)).rfc3339.prefix(19))Z"
    }

    /// Reads a time of RFC 3339, which has a zone; `nil` for any other text.
    package init?(rfc3339 text: String) {
        guard let milliseconds = RFC3339.millisecondsSince1970(text) else { return nil }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
