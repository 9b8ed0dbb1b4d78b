import NIOConcurrencyHelpers
import PushQueue

/// How many unfinished jobs the queue has. The number is read again after a moment; what this process has put in since then is
/// added.
final class QueueDepth: Sendable {
    private struct State {
        var count = 0
        var validUntil: ContinuousClock.Instant?
    }

    /// How long a number is used.
    private static let age = Duration.milliseconds(500)

    private let queue: any QueueBackend
    private let most: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    init(_ queue: any QueueBackend, most: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.queue, self.most, self.clock) = (queue, most, clock)
    }

    /// Whether a number of further jobs fits.
    func hasRoom(for count: Int) async throws(QueueError) -> Bool {
        let now = clock()
        let known = state.withLockedValue { state in state.validUntil.flatMap { $0 > now ? state.count : nil } }
        if let known { return known + count <= most }
        let depth = try await queue.counts().values.reduce(0) { $0 + $1.unfinished }
        state.withLockedValue { $0 = State(count: depth, validUntil: now + Self.age) }
        return depth + count <= most
    }

    /// Counts jobs that were added.
    func added(_ count: Int) {
        state.withLockedValue { $0.count += count }
    }
}
