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
            code: .unreadable,
            description: "A random sample needs all lines first, and a sequence can be read only once.")
    }

    mutating func next(
        _ most: Int, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [PushNotification] {
        let reading = reading ?? SequenceReader(entries)
        self.reading = reading
        return try await reading.next(most, unless: isStopped).map { entry in
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
    func next(_ most: Int, unless isStopped: @escaping @Sendable () -> Bool) async throws -> [BatchEntry] {
        buffer.ask(most)
        await buffer.wait(for: most, atMost: SourceTimeout.gathering)
        while buffer.isEmpty, !isStopped(), !Task.isCancelled {
            await buffer.wait(for: 1, atMost: SourceTimeout.interval)
        }
        return isStopped() || Task.isCancelled ? [] : try buffer.take(most)
    }
}
