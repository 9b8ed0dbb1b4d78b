#if PushService
    internal import PushPlatform

    /// The times of the API: RFC 3339 in UTC, with milliseconds.
    enum ServiceTime {
        private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

        static func text(_ date: Date) -> String { date.formatted(style) }

        static func decode(_ decoder: any Decoder) throws -> Date {
            let text = try decoder.singleValueContainer().decode(String.self)
            if let date = try? style.parse(text) { return date }
            return try Date.ISO8601FormatStyle().parse(text)
        }
    }
#endif
