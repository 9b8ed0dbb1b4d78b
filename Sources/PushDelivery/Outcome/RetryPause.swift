internal import PushTime

/// How long a job waits in the queue for its next try.
struct RetryPause: Equatable, Sendable {
    /// The growth of pauses.
    var backoff = ExponentialBackoff(first: .seconds(1), longest: .seconds(900))

    /// Returns the pause after a try.
    ///
    /// - Parameters:
    ///   - attempts: The number of tries so far.
    ///   - asked: The pause that Apple asks for; `nil` if it asks for no pause.
    ///   - chance: A random number from 0 to 1, so that not all jobs are sent again at the same time.
    /// - Returns: The pause, between half of the maximum and the maximum, and never shorter than Apple asks for.
    func pause(attempts: Int, asked: Duration?, chance: Double) -> Duration {
        let own = backoff.pause(after: max(attempts - 1, 0), chance: chance)
        // Jobs with the same request of Apple are not all sent at the same time.
        return asked.map { max($0 + backoff.first * chance, own) } ?? own
    }
}
