internal import PushProvider
internal import PushQueue
internal import PushTime

/// Decides how long the engine waits when no job can be claimed. A pure value.
struct IdleWait: Equatable {
    /// The wait after a first claim without a job that seemed due.
    private static let shortest: Duration = .milliseconds(5)
    /// How often in a row a job was due and could not be claimed. An expired job is like that until it is ended.
    private var overdueRounds = 0

    /// Returns how long to wait for the next job.
    ///
    /// - Parameters:
    ///   - due: The earliest due time of a waiting job; `nil` if no job waits.
    ///   - now: The time of the queue.
    ///   - longest: The longest wait.
    /// - Returns: The wait, after which the queue is asked again.
    mutating func wait(due: QueueTime?, now: QueueTime, longest: Duration) -> Duration {
        guard let due, due <= now else {
            overdueRounds = 0
            return min(due.map { $0 - now } ?? longest, longest)
        }
        // In the first round, the job has probably just become due.
        let wait = ExponentialBackoff(first: Self.shortest, longest: longest).pause(after: overdueRounds)
        overdueRounds += 1
        return wait
    }
}
