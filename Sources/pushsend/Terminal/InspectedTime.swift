import PushPlatform
import PushTime

/// Times in readable form.
enum InspectedTime {
    /// For example `2026-11-21 12:00:00 UTC`. A number outside of the years 1 to 9999, such as milliseconds, is shown as it is.
    static func text(_ seconds: Int) -> String {
        let date = Date(timeIntervalSince1970: Double(seconds))
        guard Date.writable.contains(date) else { return "\(seconds) s since 1970" }
        return date.rfc3339Seconds.replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// For example `2026-11-21`.
    static func day(_ seconds: Int) -> String { String(text(seconds).prefix { $0 != " " }) }
}
