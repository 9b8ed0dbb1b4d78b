/// A point in time by the steady clock of a queue, in milliseconds.
///
/// The steady clock starts with the time of the wall clock when the queue is created. Then it advances with the uptime
/// of the machine and ignores changes of the wall clock, so it never jumps. Durations are measured by this clock.
package struct SteadyTime: Hashable, Comparable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The latest time. It is far beyond ``QueueTime/latest``.
    package static let latest = SteadyTime(milliseconds: 1 << 60)

    package static func < (left: SteadyTime, right: SteadyTime) -> Bool { left.milliseconds < right.milliseconds }

    /// The time after a duration. It stays between 0 and ``latest``.
    package static func + (time: SteadyTime, duration: Duration) -> SteadyTime {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        if overflow { return duration < .zero ? SteadyTime(milliseconds: 0) : latest }
        return min(max(SteadyTime(milliseconds: sum), SteadyTime(milliseconds: 0)), latest)
    }

    /// The time before a duration.
    package static func - (time: SteadyTime, duration: Duration) -> SteadyTime { time + (.zero - duration) }
}
