internal import NIOCore

/// A timer that fires at the earliest of the times that it is set to.
struct EarliestTimer {
    private var timer: Scheduled<Void>?
    private(set) var time = MonotonicTime.never

    /// Makes sure that the timer fires at this time or earlier, at least one millisecond from now: so it handles close
    /// times together.
    ///
    /// - Parameters:
    ///   - time: The time. ``MonotonicTime/never`` sets nothing.
    ///   - now: The time now.
    ///   - schedule: Schedules the work after the given wait. The work begins with ``fired()``.
    mutating func arm(by time: MonotonicTime, now: MonotonicTime, _ schedule: (Duration) -> Scheduled<Void>?) {
        guard time < self.time else { return }
        timer?.cancel()
        timer = schedule(max(now.duration(to: time), .milliseconds(1)))
        if timer != nil { self.time = time }
    }

    /// The timer has fired, and is set to no time.
    mutating func fired() {
        time = .never
    }

    mutating func cancel() {
        timer?.cancel()
    }
}
