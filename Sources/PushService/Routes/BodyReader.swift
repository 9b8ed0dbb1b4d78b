internal import Hummingbird
internal import NIOCore

/// The parts of a body.
///
/// `@unchecked Sendable` is correct: only the loop of one stream uses it, and it waits for the end of each call before the next one.
/// The task of a part that is awaited alone touches the iterator until the part has come. It must be sendable because each call of
/// ``next()`` runs in its own task, which the end of the service cancels.
final class BodyReader: @unchecked Sendable {
    private var iterator: RequestBody.AsyncIterator
    /// The part that ``hasNext(within:)`` waits for, and ``next()`` returns.
    private var arriving: Task<ByteBuffer?, any Error>?

    init(_ body: RequestBody) {
        iterator = body.makeAsyncIterator()
    }

    /// The next part; `nil` after the last one.
    func next() async throws -> ByteBuffer? {
        guard let arriving else { return try await read() }
        defer { self.arriving = nil }
        return try await withTaskCancellationHandler {
            try await arriving.value
        } onCancel: {
            arriving.cancel()
        }
    }

    /// Waits a while for the next part, or the end of the body.
    ///
    /// - Returns: Whether it has come.
    func hasNext(within time: Duration) async -> Bool {
        let part = arriving ?? Task { try await self.read() }
        arriving = part
        let (signals, signal) = AsyncStream<Bool>.makeStream()
        Task {
            _ = await part.result
            signal.yield(true)
        }
        let timer = Task {
            try? await Task.sleep(for: time)
            signal.yield(false)
        }
        defer { timer.cancel() }
        return await signals.first { _ in true } ?? true
    }

    private func read() async throws -> ByteBuffer? { try await iterator.next() }
}
