internal import HTTPTypes
package import Hummingbird
package import NIOCore

/// The body of a request as its client sends it. While the server waits for the next part, the deadline of the request stands
/// still. Each part begins it again.
package struct RequestContent: AsyncSequence, Sendable {
    package typealias Element = ByteBuffer

    private let body: RequestBody
    private let client: ConnectedClients.Client?
    private let deadline: RequestDeadline?
    /// The number of bytes by the header; `nil` if it says none.
    private let length: Int?

    package init(_ request: Request, client: ConnectedClients.Client?, deadline: RequestDeadline? = nil) {
        (body, self.client, self.deadline) = (request.body, client, deadline)
        length = request.headers[.contentLength].flatMap { Int($0) }
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var parts: RequestBody.AsyncIterator
        fileprivate let client: ConnectedClients.Client?
        fileprivate let deadline: RequestDeadline?
        fileprivate let length: Int?
        fileprivate var count = 0

        /// The next part; `nil` after the last one.
        ///
        /// - Throws: ``BrokenBody``, ``DeadlinePassed``, and `CancellationError`.
        package mutating func next() async throws -> ByteBuffer? {
            client?.wantBody()
            try deadline?.pause()
            defer { deadline?.resume() }
            let part: ByteBuffer?
            do {
                part = try await parts.next()
            } catch let error as CancellationError {
                throw error
            } catch {
                throw BrokenBody()
            }
            count += part?.readableBytes ?? 0
            deadline?.renew()
            if part == nil, let length, count < length, !Task.isCancelled { throw BrokenBody() }
            return part
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(parts: body.makeAsyncIterator(), client: client, deadline: deadline, length: length)
    }

    /// Collects a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - maximum: The maximum number of bytes.
    ///   - memory: Counts the bytes while they are held.
    ///   - remedy: What to do if the body is longer.
    /// - Returns: The bytes.
    /// - Throws: ``APIProblem`` if the body is longer, ``SharedMemoryFull``, and errors of the body.
    package static func collect(
        _ body: RequestBody, atMost maximum: Int, _ memory: SharedMemory.Reservation, remedy: String? = nil
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await part in body {
            let count = bytes.count + part.readableBytes
            guard count <= maximum else {
                throw APIProblem(
                    status: .contentTooLarge, code: "body_too_large",
                    detail: "The body is longer than \(maximum) bytes.", remedy: remedy)
            }
            if count > bytes.capacity {
                // While the bytes move, the old place is there, too.
                let room = Swift.max(count, Swift.min(bytes.capacity * 2, maximum))
                try memory.set(room + bytes.count)
                bytes.reserveCapacity(room)
                try memory.set(room)
            }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }
}

/// A body that ended before its end, or whose chunks can't be read.
package struct BrokenBody: ProblemError, Hashable, Sendable {
    package var problem: APIProblem {
        .invalid("The body ended early, or its chunks aren't as RFC 9112 defines them.", code: "broken_body")
    }
}
