internal import DequeModule
internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore

/// The log of requests, newest last. Limited in count and bytes: beyond a limit, the oldest entries are dropped.
struct MockLog {
    struct Bound: Equatable {
        var count: Int
        var bytes: Int
    }

    let bound: Bound
    private(set) var entries: Deque<MockArrival> = []
    private var bytes = 0
    /// The number of the newest request that was dropped because of a limit; 0 if there was none.
    private(set) var droppedThrough = 0
    /// How many requests were dropped because of a limit.
    private(set) var droppedCount = 0
    /// The number of the last request when the log was cleared.
    private(set) var removedThrough = 0
    /// The number of requests since the start, including dropped ones.
    private(set) var total = 0

    init(bound: Bound) {
        self.bound = bound
    }

    var nextNumber: Int { total + 1 }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - arrival: The entry.
    ///   - dropped: The list to which entries are added that are dropped because of a limit; `nil` if they are not needed.
    mutating func append(_ arrival: MockArrival, dropping dropped: inout [MockArrival]?) {
        total += 1
        bytes += arrival.byteCount
        entries.append(arrival)
        while entries.count > bound.count || (bytes > bound.bytes && entries.count > 1),
            let oldest = entries.popFirst()
        {
            bytes -= oldest.byteCount
            droppedThrough = oldest.number
            droppedCount += 1
            dropped?.append(oldest)
        }
    }

    /// Returns the entry with this number. If it was dropped, returns the oldest entry; `nil` if it has not arrived.
    func entry(from number: Int) -> MockArrival? {
        let index = index(from: number)
        return index < entries.count ? entries[index] : nil
    }

    /// Returns up to `count` entries, starting with this number or, if it was dropped, with the oldest entry.
    func entries(from number: Int, atMost count: Int) -> [MockArrival] {
        Array(entries.dropFirst(index(from: number)).prefix(count))
    }

    /// The index of the first entry with this number or a higher one. Entries can be removed, so numbers have gaps.
    private func index(from number: Int) -> Int {
        guard let oldest = entries.first else { return 0 }
        if number <= oldest.number { return 0 }
        let guess = number - oldest.number
        if guess < entries.count, entries[guess].number == number { return guess }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Removes the entry with this number.
    ///
    /// - Returns: The entry; `nil` if there was none.
    @discardableResult
    mutating func remove(_ number: Int) -> MockArrival? {
        let index = index(from: number)
        guard index < entries.count, entries[index].number == number else { return nil }
        let removed = entries.remove(at: index)
        bytes -= removed.byteCount
        return removed
    }

    /// Removes all entries.
    ///
    /// - Returns: The entries.
    @discardableResult
    mutating func removeAll() -> [MockArrival] {
        removedThrough = total
        defer { entries.removeAll() }
        bytes = 0
        return Array(entries)
    }
}

/// The requests that arrive at a mock, from the first one on. The sequence ends when the mock stops.
///
/// Each loop has its own position in the mock's log. A loop that is too slow misses the requests that the log has
/// dropped.
package struct MockArrivals: AsyncSequence, Sendable {
    let journal: MockJournal

    package func makeAsyncIterator() -> Iterator {
        Iterator(journal: journal)
    }

    package struct Iterator: AsyncIteratorProtocol {
        let journal: MockJournal
        private var next = 1

        init(journal: MockJournal) {
            self.journal = journal
        }

        /// Waits for the next request. Returns `nil` if the mock has stopped or the task was cancelled.
        package mutating func next() async -> MockArrival? {
            guard let arrival = try? await journal.arrival(from: next, before: nil) else { return nil }
            next = arrival.number + 1
            return arrival
        }
    }
}

/// Logs connections that end with an error. Rate-limited, because thousands of connections can end together.
final class ConnectionLog: Sendable {
    private struct State {
        var notices: EventRateLimiter
        var unnoted = 0
    }

    /// The maximum number of notices in a burst. Beyond it, notices are only counted.
    private static let atOnce = 100
    /// The number of further notices that each second allows after a burst.
    private static let perSecond = 10

    private let logger: Logger
    /// The monotonic clock, in nanoseconds.
    private let now: @Sendable () -> UInt64
    private let state: NIOLockedValueBox<State>

    init(_ logger: Logger, now: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }) {
        self.logger = logger
        self.now = now
        state = NIOLockedValueBox(
            State(notices: EventRateLimiter(size: Self.atOnce, perSecond: Self.perSecond, now: now())))
    }

    func notice(_ message: String) {
        let now = now()
        let unnoted: Int? = state.withLockedValue { state in
            guard state.notices.take(1, at: now) else {
                state.unnoted += 1
                return nil
            }
            defer { state.unnoted = 0 }
            return state.unnoted
        }
        guard let unnoted else { return }
        logger.notice("\(message)\(unnoted > 0 ? " (\(unnoted) earlier notices were left out)" : "")")
    }

    func debug(_ message: String) {
        logger.debug("\(message)")
    }
}
