import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle

/// A receiver of webhooks on a port of 127.0.0.1. It notes each message, and answers as the test says.
final class WebhookReceiver: Sendable {
    struct Message: Sendable {
        var path: String
        var id: String
        var timestamp: String
        var signatures: [String]
        var body: String
        var traceparent: String
    }

    private struct State {
        var messages: [Message] = []
        var parts = 0
        var statuses: [Int] = []
        var statusesOfMessages: [String: Int] = [:]
        var waiters: [(count: Int, continuation: CheckedContinuation<[Message], Never>)] = []
    }

    private let state = NIOLockedValueBox(State())
    /// Where a redirecting answer leads to.
    private let location: String?
    /// Whether an answer gets no further after its first byte, until the answers are released.
    private let holdsAnswers: Bool
    private let released = AsyncStream.makeStream(of: Void.self)

    /// When to send again, in each answer; `nil` for no such field.
    private let retryAfter: String?
    /// Whether no answer ends until the sender closes the connection.
    private let isEndless: Bool

    init(location: String? = nil, holdsAnswers: Bool = false, retryAfter: String? = nil, isEndless: Bool = false) {
        (self.location, self.holdsAnswers, self.retryAfter) = (location, holdsAnswers, retryAfter)
        self.isEndless = isEndless
    }

    /// Lets the answer that is held go on.
    func release() { released.continuation.finish() }

    /// The answer to each message with an id.
    func answer(_ status: Int, to id: String) { state.withLockedValue { $0.statusesOfMessages[id] = status } }

    /// The answers to the next messages. Later ones are answered with 200.
    func answer(_ statuses: [Int]) { state.withLockedValue { $0.statuses = statuses } }

    /// How many parts of 64 KiB were written of all answers without an end.
    var parts: Int { state.withLockedValue { $0.parts } }

    var messages: [Message] { state.withLockedValue { $0.messages } }

    /// Waits until there are as many messages, also those that were answered with an error.
    func messages(_ count: Int) async -> [Message] {
        await withCheckedContinuation { continuation in
            let enough = state.withLockedValue { state -> [Message]? in
                if state.messages.count >= count { return state.messages }
                state.waiters.append((count, continuation))
                return nil
            }
            if let enough { continuation.resume(returning: enough) }
        }
    }

    /// Receives while the body runs.
    func run<Value: Sendable>(_ body: @Sendable (_ port: Int) async throws -> Value) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var quiet = Logger(label: "receiver")
        quiet.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { [self] request, _ in try await self.respond(request) },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: quiet)
        // A server that is only cancelled can leave a connection without an end, which NIO does not forgive.
        let group = ServiceGroup(services: [application], logger: quiet)
        let running = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let result: Result<Value, any Error>
        do { result = .success(try await body(await iterator.next() ?? 0)) } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await running.value
        return try result.get()
    }

    private func respond(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        func field(_ name: String) -> String { HTTPField.Name(name).flatMap { request.headers[$0] } ?? "" }
        let message = Message(
            path: request.uri.path, id: field("webhook-id"), timestamp: field("webhook-timestamp"),
            signatures: field("webhook-signature").split(separator: " ").map(String.init),
            body: String(buffer: body), traceparent: field("traceparent"))
        let (status, ready) = state.withLockedValue { state in
            state.messages.append(message)
            let ready = state.waiters.filter { $0.count <= state.messages.count }
            state.waiters.removeAll { $0.count <= state.messages.count }
            let usual = state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
            return (state.statusesOfMessages[message.id] ?? usual, ready)
        }
        for waiter in ready { waiter.continuation.resume(returning: messages) }
        var headers = HTTPFields()
        if let location, status / 100 == 3 { headers[.location] = location }
        if let retryAfter { headers[.retryAfter] = retryAfter }
        if isEndless {
            let body = ResponseBody { writer in
                while true {
                    try await writer.write(ByteBuffer(repeating: 0x78, count: 1 << 16))
                    self.state.withLockedValue { $0.parts += 1 }
                }
            }
            return Response(status: .init(code: status), headers: headers, body: body)
        }
        guard holdsAnswers else { return Response(status: .init(code: status), headers: headers) }
        let slowly = ResponseBody(contentLength: 2) { [released] writer in
            try await writer.write(ByteBuffer(string: "1"))
            for await _ in released.stream {}
            try await writer.write(ByteBuffer(string: "2"))
            try await writer.finish(nil)
        }
        return Response(status: .init(code: status), headers: headers, body: slowly)
    }
}
