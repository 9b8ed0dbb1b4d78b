import PushPlatform
import PushQueue
import PushService

/// Times and durations in output.
enum TimeText {
    /// RFC 3339 in UTC with milliseconds, for example `2026-11-21T12:00:00.250Z`.
    static func rfc3339(_ time: QueueTime) -> String {
        ServiceTime.text(time)
    }

    /// A duration in its largest unit: `3 days`, `1 hour`, `40 minutes`, `5 seconds`.
    static func span(_ duration: Duration) -> String {
        let seconds = duration.components.seconds.magnitude
        let (amount, unit) =
            switch seconds {
            case 172_800...: (seconds / 86_400, "day")
            case 7_200...: (seconds / 3_600, "hour")
            case 120...: (seconds / 60, "minute")
            default: (seconds, "second")
            }
        return "\(amount) \(unit)\(amount == 1 ? "" : "s")"
    }
}
