import PushPlatform
import PushQueue

/// A thread with its connection. It connects when it is first needed, and again after the connection broke.
final class PostgresThread: Sendable {
    private let address: PostgresAddress
    private let work: PostgresWork

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, for debuggers. Linux shows 15 characters of it.
    ///   - address: The servers.
    ///   - settings: How long it waits for them.
    init(name: String, address: PostgresAddress, settings: PostgresSettings) {
        self.address = address
        work = PostgresWork()
        let isStarted = PostgresWorker.start(name: name, address: address, settings: settings, work: work)
        if !isStarted { work.end() }
    }

    deinit { work.stop() }

    /// Runs a body on the thread.
    ///
    /// If the body throws, an open transaction is rolled back. If the connection is broken, the next body gets a new one.
    ///
    /// - Parameter body: Gets a connection that works, as far as this is known. It must not keep it.
    /// - Returns: What the body returned.
    /// - Throws: ``QueueError`` of the body; why there is no connection; `.closed` after ``stop()`` or ``abort()``.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
            let isTaken = work.add { worker in continuation.resume(returning: worker.perform(body)) }
            if !isTaken { continuation.resume(returning: .failure(.closed(address))) }
        }
        return try result.get()
    }

    /// Ends the thread after its pending work, and closes the connection. Returns when it has ended.
    func stop() async {
        work.stop()
        await withCheckedContinuation { continuation in
            if !work.addWaiter(continuation) { continuation.resume() }
        }
    }

    /// Closes the socket at once, as if the process was killed. Work that has not begun fails.
    func abort() {
        work.abort()
    }
}
