internal import NIOConcurrencyHelpers
internal import PushProvider

/// The elements of a sequence, as lines.
struct SequenceRows<Entries: AsyncSequence & Sendable>: BatchRows where Entries.Element == BatchEntry {
    private let entries: Entries
    /// The reading task; `nil` before the first line is requested.
    private var reading: SequenceReader?
    private var index = 0

    init(_ entries: Entries) {
        self.entries = entries
    }

    var position: InputPosition { InputPosition(index: index, line: index + 1) }
    var canSeek: Bool { false }

    mutating func seek(_ position: InputPosition) async throws {}

    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws {
        throw BatchInputError(
            .unreadable, "A random sample needs all lines first, and a sequence can be read only once.")
    }

    mutating func next(
        _ maximum: Int, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [PushNotification] {
        let reading = reading ?? SequenceReader(entries)
        self.reading = reading
        return try await reading.next(maximum, unless: isStopped).map { entry in
            defer { index += 1 }
            return entry.notification(index: index)
        }
    }
}

/// Reads a sequence in its own task, only as far as requested, so that gathering elements does not wait long
/// for a slow one. The task ends when this object is released.
final class SequenceReader: Sendable {
    private let buffer = SequenceBuffer()
    private let task: Task<Void, Never>

    init<Entries: AsyncSequence & Sendable>(_ entries: Entries) where Entries.Element == BatchEntry {
        task = Task { [buffer] in
            do {
                var iterator = entries.makeAsyncIterator()
                while await buffer.isAskedForMore(), let entry = try await iterator.next() { buffer.put(entry) }
                buffer.end(nil)
            } catch {
                buffer.end(error)
            }
        }
    }

    deinit {
        task.cancel()
        buffer.close()
    }

    /// Returns the next elements: waits for the first one, and gathers others that arrive soon.
    ///
    /// - Returns: Empty at the end, or when `isStopped` returns `true`.
    /// - Throws: The error of the sequence, after the elements before it.
    func next(_ maximum: Int, unless isStopped: @escaping @Sendable () -> Bool) async throws -> [BatchEntry] {
        buffer.ask(maximum)
        await buffer.wait(for: maximum, atMost: SourceTimeout.gathering)
        while buffer.isEmpty, !isStopped(), !Task.isCancelled {
            await buffer.wait(for: 1, atMost: SourceTimeout.interval)
        }
        return isStopped() || Task.isCancelled ? [] : try buffer.take(maximum)
    }
}

/// The buffer between the task that reads a sequence and the task that takes its elements.
final class SequenceBuffer: Sendable {
    private struct State {
        var entries: [BatchEntry] = []
        /// How many more elements are requested.
        var wanted = 0
        var isOver = false
        var error: (any Error)?
        var isClosed = false
        /// How many elements the taking task waits for.
        var enough = 0

        var isServed: Bool { entries.count >= enough || isOver }
    }

    private let state = NIOLockedValueBox(State())
    /// Wakes the reading task when more elements are requested.
    private let request = WakeUpSignal()
    /// Wakes the taking task when there are enough elements.
    private let arrival = WakeUpSignal()

    // MARK: The reading task

    /// Waits until more elements are requested.
    ///
    /// - Returns: `false` when no more will be requested.
    func isAskedForMore() async -> Bool {
        while true {
            let (wanted, isClosed) = state.withLockedValue { ($0.wanted, $0.isClosed) }
            if wanted > 0 || isClosed { return !isClosed }
            await request.wait()
        }
    }

    func put(_ entry: BatchEntry) {
        let isServed = state.withLockedValue { state in
            state.entries.append(entry)
            state.wanted = max(0, state.wanted - 1)
            return state.isServed
        }
        if isServed { arrival.send() }
    }

    func end(_ error: (any Error)?) {
        state.withLockedValue { ($0.isOver, $0.error) = (true, error) }
        arrival.send()
    }

    // MARK: The taking task

    var isEmpty: Bool { state.withLockedValue { $0.entries.isEmpty && !$0.isOver } }

    /// Requests elements until there are `count` of them.
    func ask(_ count: Int) {
        let wanted = state.withLockedValue { state in
            state.wanted = max(0, count - state.entries.count)
            return state.wanted
        }
        if wanted > 0 { request.send() }
    }

    /// Waits until there are enough elements, the sequence ends, the time has passed, or the task is cancelled.
    func wait(for count: Int, atMost time: Duration) async {
        let end = ContinuousClock.now + time
        state.withLockedValue { $0.enough = count }
        while !state.withLockedValue({ $0.isServed }), !Task.isCancelled {
            let left = ContinuousClock.now.duration(to: end)
            if left <= .zero { return }
            await arrival.waitUnlessCancelled(for: left)
        }
    }

    /// Takes the elements that are there. Nothing more is read until it is requested, except the element that is being
    /// read.
    func take(_ maximum: Int) throws -> [BatchEntry] {
        let (entries, error) = state.withLockedValue { state in
            let entries = Array(state.entries.prefix(maximum))
            state.entries.removeFirst(entries.count)
            state.wanted = 0
            return (entries, entries.isEmpty ? state.error : nil)
        }
        if let error { throw error }
        return entries
    }

    // MARK: The end

    /// Closes the buffer: no more elements will be taken.
    func close() {
        state.withLockedValue { $0.isClosed = true }
        request.send()
    }
}
