public import AsyncHTTPClient
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import PushJSON
public import PushPlatform
import PushTime

/// Sends notifications to a push service (`pushserve`), and reads their outcomes.
///
/// What ``send(_:idempotencyKey:)->QueuedPush`` returns is on the disk of the service. If a call fails with a lost connection, it
/// is unknown whether the service has the notifications: repeat the call with the same idempotency key, and each is queued once.
///
/// The client is a value. It keeps no connection itself; the `HTTPClient` does.
public struct ServiceClient: Sendable {
    /// The address of the service, such as `http://127.0.0.1:8080`.
    public let address: String
    /// How long a request may take, without the time that the caller lets the service wait for an outcome.
    public var timeout: Duration = .seconds(30)

    private let key: String
    private let http: HTTPClient

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: The address of the service, without a path.
    ///   - key: An API key of `pushserve key create`.
    ///   - httpClient: The client for HTTP; by default one of the process that follows no redirects. One that follows them may send
    ///     the key to another server.
    public init(address: String, key: String, httpClient: HTTPClient = ServiceClient.httpClient) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        (self.key, http) = (key, httpClient)
    }

    /// The HTTP client of all services that get no other one. It follows no redirects, and is never shut down.
    public static let httpClient = HTTPClient(
        eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))

    // MARK: Sending

    /// Puts a notification into the queue of the service.
    ///
    /// - Parameters:
    ///   - push: The notification.
    ///   - idempotencyKey: A text that makes a repetition harmless for 24 hours; `nil` for none.
    /// - Returns: What the service did with it.
    /// - Throws: ``PushServiceError``, and errors of the connection.
    @discardableResult
    public func send(_ push: ServicePush, idempotencyKey: String? = nil) async throws -> QueuedPush {
        try decode(await request(.POST, "/v1/notifications", .bytes(push.json), idempotencyKey: idempotencyKey))
    }

    /// Puts up to 1000 notifications into the queue: all of them, or none if one is invalid.
    ///
    /// - Parameters:
    ///   - pushes: The notifications.
    ///   - idempotencyKey: As for ``send(_:idempotencyKey:)->QueuedPush``.
    /// - Returns: What the service did with each, in order.
    /// - Throws: ``PushServiceError`` with the index of the invalid notification in its field, and errors of the connection.
    @discardableResult
    public func send(_ pushes: [ServicePush], idempotencyKey: String? = nil) async throws -> [QueuedPush] {
        var body = JSONWriter()
        body.array(pushes) { $0.raw($1.json) }
        let list: ServiceList<QueuedPush> = try decode(
            await request(.POST, "/v1/notifications", .bytes(body.bytes), idempotencyKey: idempotencyKey))
        return list.items
    }

    /// Puts a notification into the queue and waits for its outcome.
    ///
    /// - Parameters:
    ///   - push: The notification.
    ///   - duration: How long to wait, at most 60 seconds.
    ///   - idempotencyKey: As for ``send(_:idempotencyKey:)->QueuedPush``.
    /// - Returns: The outcome; `nil` if it did not come in time. The notification stays in the queue.
    /// - Throws: ``PushServiceError``, and errors of the connection.
    public func outcome(
        of push: ServicePush, within duration: Duration = .seconds(10), idempotencyKey: String? = nil
    ) async throws -> PushServiceJob.Outcome? {
        let seconds = max(1, duration.components.seconds)
        let answer = try await request(
            .POST, "/v1/notifications?wait=\(seconds)s", .bytes(push.json), idempotencyKey: idempotencyKey,
            extra: duration)
        return answer.status == 200 ? try (decode(answer) as FinishedPush).notification.outcome : nil
    }

    // MARK: Reading

    /// A notification with its state and outcome; `nil` if the service has none with this id.
    ///
    /// - Throws: ``PushServiceError``, and errors of the connection.
    public func job(_ id: UUID) async throws -> PushServiceJob? {
        do {
            return try decode(await request(.GET, "/v1/notifications/\(id.uuidString)"))
        } catch let error as PushServiceError where error.status == 404 {
            return nil
        }
    }

    /// Cancels a notification that still waits.
    ///
    /// - Returns: Whether it was certainly not sent; `false` if it isn't tried again, and an earlier try may have reached Apple.
    /// - Throws: ``PushServiceError`` with status 409 if it is being sent or has its outcome, 404 if there is none.
    @discardableResult
    public func cancel(_ id: UUID) async throws -> Bool {
        let answer: CancelAnswer = try decode(await request(.DELETE, "/v1/notifications/\(id.uuidString)"))
        return answer.result == "cancelled"
    }

    /// The outcomes after a cursor, in the order in which they were stored.
    ///
    /// - Parameters:
    ///   - cursor: ``PushServiceResults/next`` of the page before; `nil` for the oldest that is kept.
    ///   - limit: The maximum number of outcomes, at most 1000.
    /// - Returns: The outcomes, and the cursor for the next call.
    /// - Throws: ``PushServiceError``, and errors of the connection.
    public func results(after cursor: String? = nil, limit: Int = 1000) async throws -> PushServiceResults {
        let after = cursor.map { "&after=\(PercentEncoding.encoded($0))" } ?? ""
        return try decode(await request(.GET, "/v1/results?limit=\(limit)\(after)"))
    }

    // MARK: Requests

    struct Answer {
        var status: Int
        var body: ByteBuffer
    }

    func request(
        _ method: HTTPMethod, _ path: String, _ body: HTTPClientRequest.Body? = nil, type: String = "application/json",
        idempotencyKey: String? = nil, extra: Duration = .zero
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        request.headers.add(name: "authorization", value: "Bearer \(key)")
        if let body {
            request.headers.add(name: "content-type", value: type)
            request.body = body
        }
        if let idempotencyKey { request.headers.add(name: "idempotency-key", value: idempotencyKey) }
        let response = try await http.execute(request, timeout: .init(timeout + extra))
        // The service's longest answer is a page of 1000 jobs.
        let body = try await response.body.collect(upTo: 64 << 20)
        let status = Int(response.status.code)
        guard (200..<300).contains(status) else {
            throw PushServiceError(status: status, retryAfter: response.headers.first(name: "retry-after"), body)
        }
        return Answer(status: status, body: body)
    }

    func decode<Value: Decodable>(_ answer: Answer) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            if let date = Date(rfc3339: text) { return date }
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "Not a time: \(text.prefix(80))")
        }
        return try decoder.decode(Value.self, from: Data(buffer: answer.body))
    }
}

/// The answer to a request that waited for the outcome.
private struct FinishedPush: Decodable {
    var notification: PushServiceJob
}

private struct CancelAnswer: Decodable {
    var result: String
}

struct ServiceList<Item: Decodable>: Decodable {
    var items: [Item]
}

/// An answer of a service that says what is wrong with a request.
public struct PushServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// A stable word for programs, such as `invalid_value`; empty if the answer was not one of the service.
    public let code: String
    /// What is wrong, in a sentence.
    public let detail: String
    /// The JSON Pointer of the member that is wrong; `nil` if there is none.
    public let field: String?
    /// How to correct it.
    public let remedy: String?
    /// When the service may take the request, in seconds from now or as an HTTP date; `nil` if it does not say so.
    public let retryAfter: String?

    /// What is wrong and how to correct it.
    public var description: String {
        let suffix = field.map { " (\($0))" } ?? ""
        return "The service answered \(status): \(detail)\(suffix)\(remedy.map { " " + $0 } ?? "")"
    }

    private struct Form: Decodable {
        var code: String?
        var detail: String?
        var field: String?
        var remedy: String?
    }

    init(status: Int, retryAfter: String?, _ body: ByteBuffer) {
        let form = try? JSONDecoder().decode(Form.self, from: Data(buffer: body))
        (self.status, self.retryAfter) = (status, retryAfter)
        (code, detail) = (form?.code ?? "", form?.detail ?? "The answer has no description.")
        (field, remedy) = (form?.field, form?.remedy)
    }
}
