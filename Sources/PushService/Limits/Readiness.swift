import NIOConcurrencyHelpers
import PushQueue

/// Whether the queue can store something. All who ask within a moment share one probe, because each probe writes to the disk,
/// and asking needs no key.
final class Readiness: Sendable {
    private struct State {
        var probe: Task<Result<Void, QueueError>, Never>?
        /// When the last probe ended.
        var ended: ContinuousClock.Instant?
        var isRunning = false
    }

    private let age: Duration
    private let probe: @Sendable () async -> Result<Void, QueueError>
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    /// The result of a probe is used for `age`.
    convenience init(_ queue: any QueueBackend, age: Duration) {
        self.init(
            age: age,
            probe: {
                do throws(QueueError) {
                    try await queue.checkWriting()
                    return .success(())
                } catch {
                    return .failure(error)
                }
            })
    }

    init(
        age: Duration, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        probe: @escaping @Sendable () async -> Result<Void, QueueError>
    ) {
        (self.age, self.probe, self.clock) = (age, probe, clock)
    }

    /// Throws the error with which nothing can be stored.
    func check() async throws(QueueError) {
        let now = clock()
        let probe = state.withLockedValue { state -> Task<Result<Void, QueueError>, Never> in
            if let probe = state.probe, state.isRunning || state.ended.map({ now - $0 < age }) == true { return probe }
            state.isRunning = true
            let new = Task {
                let result = await self.probe()
                self.end()
                return result
            }
            state.probe = new
            return new
        }
        try await probe.value.get()
    }

    private func end() {
        let now = clock()
        state.withLockedValue { state in
            state.isRunning = false
            state.ended = now
        }
    }
}
