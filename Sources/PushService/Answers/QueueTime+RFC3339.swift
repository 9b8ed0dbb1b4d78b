package import PushQueue
import PushTime

extension QueueTime {
    /// The time as RFC 3339 in UTC, with milliseconds: `2026-11-25T20:15:00.000Z`.
    package var rfc3339: String { RFC3339.text(millisecondsSince1970: milliseconds) }

    /// Reads a time of RFC 3339, which has a zone; `nil` for any other text.
    init?(rfc3339 text: String) {
        guard let milliseconds = RFC3339.millisecondsSince1970(text) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
