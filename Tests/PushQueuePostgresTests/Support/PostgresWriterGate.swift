import Dispatch
import NIOConcurrencyHelpers
import PushQueue

@testable import PushQueuePostgres

/// Keeps a writer busy until it is opened.
final class PostgresWriterGate: Sendable {
    private let isEntered = NIOLockedValueBox(false)
    private let hasEnded = NIOLockedValueBox(false)
    private let isOpen = DispatchSemaphore(value: 0)

    /// Runs calls so that all come to the writer in this order, while it is busy.
    ///
    /// - Parameters:
    ///   - writer: The writer.
    ///   - calls: The calls.
    ///   - arrived: What is done when all have come, before the writer goes on.
    /// - Returns: The results, in the order of the calls.
    /// - Throws: What `arrived` throws, or why the writer could not be kept busy.
    func together<Value: Sendable>(
        _ writer: PostgresWriter, _ calls: [@Sendable () async throws -> Value],
        arrived: () async throws -> Void = {}
    ) async throws -> [Result<Value, any Error>] {
        // It commits nothing.
        let blocker = Task {
            defer { self.hasEnded.withLockedValue { $0 = true } }
            try await writer.write { (_) throws(QueueError) in
                self.isEntered.withLockedValue { $0 = true }
                self.isOpen.wait()
                throw QueueError(.invalid, "The gate is open.")
            }
        }
        while !isEntered.withLockedValue({ $0 }), !hasEnded.withLockedValue({ $0 }) { await Task.yield() }
        if !isEntered.withLockedValue({ $0 }) { try await blocker.value }
        let results = try await withThrowingTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            do {
                // Also after an error, or the writer would wait for ever.
                defer { isOpen.signal() }
                for (index, call) in calls.enumerated() {
                    group.addTask {
                        let result: Result<Value, any Error>
                        do {
                            result = .success(try await call())
                        } catch {
                            result = .failure(error)
                        }
                        return (index, result)
                    }
                    while writer.waiting <= index {
                        try Task.checkCancellation()
                        await Task.yield()
                    }
                }
                try await arrived()
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        _ = await blocker.result
        return calls.indices.compactMap { results[$0] }
    }
}

extension Result {
    /// The error of a queue; `nil` if there is none.
    var queueError: QueueError? {
        if case .failure(let error) = self { error as? QueueError } else { nil }
    }
}
