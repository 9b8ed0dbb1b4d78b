import PushPlatform

/// Times and durations in readable form.
enum InspectedTime {
    /// For example `2026-11-21 12:00:00 UTC`.
    static func text(_ seconds: Int) -> String {
        let iso = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return iso.replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// For example `2026-11-21`.
    static func day(_ seconds: Int) -> String { String(text(seconds).prefix { $0 != " " }) }

    /// A duration in its largest unit: `3 days`, `1 hour`, `40 minutes`, `5 seconds`.
    static func span(_ seconds: Int) -> String {
        let (amount, unit) =
            switch seconds.magnitude {
            case 172_800...: (seconds.magnitude / 86_400, "day")
            case 7_200...: (seconds.magnitude / 3_600, "hour")
            case 120...: (seconds.magnitude / 60, "minute")
            default: (seconds.magnitude, "second")
            }
        return "\(amount) \(unit)\(amount == 1 ? "" : "s")"
    }
}
