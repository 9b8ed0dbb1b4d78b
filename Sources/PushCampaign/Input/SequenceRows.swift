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
        /// Resumed when more elements are requested.
        var reader: CheckedContinuation<Void, Never>?
        /// Resumed when there are enough elements.
        var taker: CheckedContinuation<Void, Never>?
        var enough = 0
        /// The number of the current wait. A wait that has ended is not resumed again.
        var wait = 0

        var isServed: Bool { entries.count >= enough || isOver }
    }

    private let state = NIOLockedValueBox(State())

    // MARK: The reading task

    /// Waits until more elements are requested.
    ///
    /// - Returns: `false` when no more will be requested.
    func isAskedForMore() async -> Bool {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLockedValue { state in
                if state.wanted > 0 || state.isClosed { return true }
                state.reader = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
        return state.withLockedValue { !$0.isClosed }
    }

    func put(_ entry: BatchEntry) {
        let taker = state.withLockedValue { state in
            state.entries.append(entry)
            state.wanted = max(0, state.wanted - 1)
            return state.isServed ? state.taker.take() : nil
        }
        taker?.resume()
    }

    func end(_ error: (any Error)?) {
        let taker = state.withLockedValue { state in
            (state.isOver, state.error) = (true, error)
            return state.taker.take()
        }
        taker?.resume()
    }

    // MARK: The taking task

    var isEmpty: Bool { state.withLockedValue { $0.entries.isEmpty && !$0.isOver } }

    /// Requests elements until there are `count` of them.
    func ask(_ count: Int) {
        let reader = state.withLockedValue { state in
            state.wanted = max(0, count - state.entries.count)
            return state.wanted > 0 ? state.reader.take() : nil
        }
        reader?.resume()
    }

    /// Waits until there are enough elements, the sequence ends, the time has passed, or the task is cancelled.
    func wait(for count: Int, atMost time: Duration) async {
        let wait = state.withLockedValue { state -> Int? in
            state.enough = count
            state.wait += 1
            return state.isServed ? nil : state.wait
        }
        guard let wait else { return }
        let timer = Task { [self] in
            try await Task.sleep(for: time)
            endWait(wait)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLockedValue { state in
                    if state.isServed || state.wait != wait { return true }
                    state.taker = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            endWait(wait)
        }
        timer.cancel()
    }

    private func endWait(_ wait: Int) {
        let taker = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
            guard state.wait == wait else { return nil }
            state.wait += 1
            return state.taker.take()
        }
        taker?.resume()
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
        let reader = state.withLockedValue { state in
            state.isClosed = true
            return state.reader.take()
        }
        reader?.resume()
    }
}
