/// Where the numbers of outcomes continue after a queue, or its server, was started.
///
/// A queue that was restored from a backup would give numbers a second time, and readers whose cursors are from before the restore would
/// pass over new outcomes. So the numbers jump to one that follows the clock: it is higher than all that were given before, as long as fewer
/// outcomes, or transactions of the server, happened than the clock has ticks, and the clock was not set back.
package enum ResultNumbers {
    /// 2026-01-01T00:00:00Z, in milliseconds since 1970. Queues are younger.
    package static let epoch: Int64 = 1_767_225_600_000
    package static let ticksPerMillisecond: Int64 = 2
    /// Beyond this tick, of the year 2060, numbers no longer jump. All are below that of ``QueueResultCursor``s of other queues.
    package static let latest: Int64 = 1 << 41
    /// A tick has room for 2^20 numbers.
    package static let bits: Int64 = 20

    /// The number after which outcomes are numbered by a queue that is started at a time.
    package static func base(at time: QueueTime) -> Int64 {
        min(max((time.milliseconds - epoch) * ticksPerMillisecond, 0), latest) << bits
    }
}
