internal import PushProvider

/// The elements of a sequence, as lines.
struct SequenceRows<Entries: AsyncSequence & Sendable>: BatchRows where Entries.Element == BatchEntry {
    private let entries: Entries
    /// Begins with the first line.
    private var reading: SequenceReading?
    private var place = 0

    init(_ entries: Entries) {
        self.entries = entries
    }

    var position: InputPosition { InputPosition(place: place, line: place + 1) }
    var canSeek: Bool { false }

    mutating func seek(_ position: InputPosition) async throws {}

    mutating func choose(
        _ count: Int, seed: UInt128, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws {
        throw BatchInputError(
            code: .unreadable,
            description: "A sample by chance is chosen when all lines are known, and a sequence is read only once.")
    }

    mutating func next(
        _ most: Int, unless isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [PushNotification] {
        let reading = reading ?? SequenceReading(entries)
        self.reading = reading
        return try await reading.next(most, unless: isStopped).map { entry in
            defer { place += 1 }
            return entry.notification(place: place)
        }
    }
}

/// Reads a sequence in a task of its own, no further than it was asked to, so that elements can be gathered without waiting long
/// for a slow one. The task ends with it.
final class SequenceReading: Sendable {
    private let shelf = Shelf()
    private let task: Task<Void, Never>

    init<Entries: AsyncSequence & Sendable>(_ entries: Entries) where Entries.Element == BatchEntry {
        task = Task { [shelf] in
            do {
                var iterator = entries.makeAsyncIterator()
                while await shelf.isAskedForMore(), let entry = try await iterator.next() { shelf.put(entry) }
                shelf.end(nil)
            } catch {
                shelf.end(error)
            }
        }
    }

    deinit {
        task.cancel()
        shelf.close()
    }

    /// The next elements: waits for the first, and gathers others that come soon.
    ///
    /// - Returns: Empty at the end, and when `isStopped` says so.
    /// - Throws: What the sequence throws, after the elements before.
    func next(_ most: Int, unless isStopped: @escaping @Sendable () -> Bool) async throws -> [BatchEntry] {
        shelf.ask(most)
        await shelf.wait(for: most, atMost: RowPatience.gathering)
        while shelf.isEmpty, !isStopped(), !Task.isCancelled {
            await shelf.wait(for: 1, atMost: RowPatience.look)
        }
        return isStopped() || Task.isCancelled ? [] : try shelf.take(most)
    }
}
