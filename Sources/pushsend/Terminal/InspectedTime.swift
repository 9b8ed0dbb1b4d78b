import PushPlatform
import PushTime

/// Times in readable form.
enum InspectedTime {
    /// For example `2026-11-21 12:00:00 UTC`.
    static func text(_ seconds: Int) -> String {
        let iso = Date(timeIntervalSince1970: Double(seconds)).rfc3339Seconds
        return iso.replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// For example `2026-11-21`.
    static func day(_ seconds: Int) -> String { String(text(seconds).prefix { $0 != " " }) }
}
