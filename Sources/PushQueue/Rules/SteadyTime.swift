/// A point in time by the steady clock of a queue, in milliseconds.
///
/// The steady clock began with the time of the wall clock, when the queue was made. It never jumps: while the machine runs, it goes as
/// fast as the uptime, whatever becomes of the wall clock. What lasts for a duration ends by this clock.
struct SteadyTime: Hashable, Comparable {
    var milliseconds: Int64

    /// The latest time. It is far beyond ``QueueTime/latest``.
    static let latest = SteadyTime(milliseconds: 1 << 60)

    static func < (left: SteadyTime, right: SteadyTime) -> Bool { left.milliseconds < right.milliseconds }

    /// The time after a duration. It stays between 0 and ``latest``.
    static func + (time: SteadyTime, duration: Duration) -> SteadyTime {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        if overflow { return duration < .zero ? SteadyTime(milliseconds: 0) : latest }
        return min(max(SteadyTime(milliseconds: sum), SteadyTime(milliseconds: 0)), latest)
    }

    /// The time before a duration.
    static func - (time: SteadyTime, duration: Duration) -> SteadyTime { time + (.zero - duration) }
}
