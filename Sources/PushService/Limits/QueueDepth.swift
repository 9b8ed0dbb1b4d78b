import NIOConcurrencyHelpers
import PushHTTP
import PushQueue

/// How many unfinished jobs the queue has. The numbers are read again after a while; what this process has put in since the reading
/// began is added. Where there are several apps, one app gets at most half of the places.
final class QueueDepth: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        /// All that this process has put in.
        var added: [String: Int] = [:]
        var validUntil: ContinuousClock.Instant?
    }

    /// How long the numbers are used: longer if they are slow to read, as in PostgreSQL while a transaction stays open.
    private static func age(readIn time: Duration) -> Duration { min(max(.milliseconds(500), time * 20), .seconds(10)) }

    private let queue: any QueueBackend
    private let maximum: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = NIOLockedValueBox(State())

    init(_ queue: any QueueBackend, maximum: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.queue, self.maximum, self.clock) = (queue, maximum, clock)
    }

    /// The limit that has no room for further jobs of an app, as a number of jobs and whose it is; `nil` if they fit.
    func refusal(
        of count: Int, for app: String, amongApps apps: Int
    ) async throws(QueueError) -> (maximum: Int, refusal: SharedLimit.Refusal)? {
        let counts = try await counts()
        if counts.values.reduce(count, +) > maximum { return (maximum, .whole) }
        let share = apps > 1 ? SharedLimit.half(of: maximum) : maximum
        return counts[app, default: 0] + count > share ? (share, .share) : nil
    }

    private func counts() async throws(QueueError) -> [String: Int] {
        let now = clock()
        let (known, before) = state.withLockedValue { state in
            (state.validUntil.flatMap { $0 > now ? state.counts : nil }, state.added)
        }
        if let known { return known }
        let counts = try await queue.counts().mapValues(\.unfinished)
        let read = clock()
        return state.withLockedValue { state in
            let since = state.added.map { ($0, $1 - before[$0, default: 0]) }
            state.counts = counts.merging(since, uniquingKeysWith: +)
            state.validUntil = read + Self.age(readIn: now.duration(to: read))
            return state.counts
        }
    }

    func added(_ count: Int, to app: String) {
        state.withLockedValue { state in
            state.counts[app, default: 0] += count
            state.added[app, default: 0] += count
        }
    }
}

extension QueueDepth {
    /// More outcomes are not counted.
    static let maximumCounted = 10_000
}

extension QueueBackend {
    /// How many outcomes of apps after a position meet a condition, at most ``QueueDepth/maximumCounted``.
    func count(
        of apps: [String], after position: QueueResultCursor, where condition: (QueueJobRecord) -> Bool
    ) async throws(QueueError) -> Int {
        var (count, cursor) = (0, position)
        while count < QueueDepth.maximumCounted {
            let page = try await results(of: apps, after: cursor, limit: 1000)
            count += page.items.count(where: condition)
            guard page.next > cursor, !page.items.isEmpty else { break }
            cursor = page.next
        }
        return min(count, QueueDepth.maximumCounted)
    }
}
