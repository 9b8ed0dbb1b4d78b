import Dispatch
import NIOConcurrencyHelpers

@testable import PushQueue

/// Keeps the writer of a queue busy until it is opened.
final class WriterGate: Sendable {
    private let isEntered = NIOLockedValueBox(false)
    private let hasEnded = NIOLockedValueBox(false)
    private let isOpen = DispatchSemaphore(value: 0)

    /// Runs calls so that all are in one group: the writer is busy until the last has come.
    func together<Value: Sendable>(
        _ queue: SQLiteQueue, _ calls: [@Sendable () async throws -> Value]
    ) async throws -> [Result<Value, any Error>] {
        let blocker = try await block(queue)
        let results = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            for (index, call) in calls.enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await call()))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            while queue.writer.waiting < calls.count { await Task.yield() }
            isOpen.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // On a full disk it fails, too, if it notes the time.
        _ = await blocker.result
        return calls.indices.compactMap { results[$0] }
    }

    /// Keeps the writer of a queue busy. Returns when the writer has begun.
    private func block(_ queue: SQLiteQueue) async throws -> Task<Void, any Error> {
        let task = Task {
            defer { self.hasEnded.withLockedValue { $0 = true } }
            try await queue.writer.write { (_) throws(QueueError) in
                self.isEntered.withLockedValue { $0 = true }
                self.isOpen.wait()
            }
        }
        while !isEntered.withLockedValue({ $0 }), !hasEnded.withLockedValue({ $0 }) { await Task.yield() }
        if !isEntered.withLockedValue({ $0 }) { try await task.value }
        return task
    }
}
