internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushJSON
import PushQueue
internal import PushWire

/// Idempotency keys: a repeated request gets the answer of the first one.
enum Replay {
    private static let name = HTTPField.Name("idempotency-key")
    private static let mark = HTTPField.Name("idempotency-replayed")

    /// The digest is of everything that matters; `nil` if the request has no key.
    static func key(of body: [UInt8], _ request: APIRequest) async throws -> QueueIdempotencyKey? {
        guard let text = try text(of: request) else { return nil }
        return try await request.reading(body.count) {
            QueueIdempotencyKey(text, digest: try digest(of: body, app: request.query["app"]))
        }
    }

    /// The digest of a body, and of the app that the query names.
    static func digest(of body: [UInt8], app: String?) throws(QueueError) -> [UInt8] {
        try Fingerprint.sha256(of: Array((app ?? "").utf8) + [0] + body)
    }

    static func text(of request: APIRequest) throws(APIProblem) -> String? {
        guard let name, let text = request.headers[name] else { return nil }
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalid(
                "The idempotency key must have 1 to 255 characters of ASCII.", field: "idempotency-key")
        }
        return text
    }

    /// Answers a request that would be refused now. If an earlier request with the same idempotency key was accepted,
    /// the answer is repeated. Otherwise, this throws the problem.
    static func answer(
        to body: [UInt8], instead problem: APIProblem, _ request: APIRequest,
        _ value: ([EnqueueResult]) -> PushJSONValue
    ) async throws -> Response {
        guard let key = try await key(of: body, request), problem.code != "unknown_app",
            try request.bool("validate_only") != true
        else { throw problem }
        let named = try await request.reading(body.count) { appNamed(in: body) }
        guard let app = try? request.appName(named) else { throw problem }
        guard let results = try await results(of: key, app: app, request.parts.queue) else { throw problem }
        return marked(Response(json: value(results), status: .accepted), true)
    }

    /// The results of an earlier request with the same key that has stored its pushes; `nil` if there was none.
    ///
    /// - Throws: ``APIProblem`` if another request had the key, or the request with it is not answered yet.
    static func results(
        of key: QueueIdempotencyKey, app: String, _ queue: any QueueBackend
    ) async throws -> [EnqueueResult]? {
        switch try await queue.reserve(key, app: app, lasting: .seconds(10)) {
        case .reserved(let reservation):
            try await queue.release(key, app: app, reservation: reservation)
            return nil
        case .enqueued(let results) where results.allSatisfy({ $0.id != nil }): return results
        case .conflict: throw conflict
        case .inProgress: throw inProgress
        case .enqueued: return nil
        }
    }

    /// The app that a push, or the first push of an array, names.
    private static func appNamed(in body: [UInt8]) -> String? {
        guard let tree = try? JSONReader.tree(body) else { return nil }
        let first = tree.nodes[JSONTree.root].kind == .array ? JSONTree.root + 1 : JSONTree.root
        guard first < tree.nodes.count else { return nil }
        return tree.member("app", of: first).flatMap { tree.text(of: $0) }
    }

    static func marked(_ response: Response, _ isReplayed: Bool) -> Response {
        var response = response
        if isReplayed, let mark { response.headers[mark] = "true" }
        return response
    }

    static var conflict: APIProblem {
        .impossible(
            "Another request had the same idempotency key.", code: "idempotency_conflict",
            field: "idempotency-key",
            remedy: "Use a new key for each request, and the same key only to repeat a request.")
    }

    static var inProgress: APIProblem {
        inProgress("A request with the same idempotency key isn't answered yet.", afterSeconds: 1)
    }

    static var campaignInProgress: APIProblem {
        inProgress("A campaign with the same idempotency key is being created.", afterSeconds: 60)
    }

    private static func inProgress(_ detail: String, afterSeconds seconds: Int) -> APIProblem {
        APIProblem(
            status: .conflict, code: "idempotency_in_progress", detail: detail, field: "idempotency-key",
            remedy: "Send it again later.", headers: [HTTPField(name: .retryAfter, value: "\(seconds)")])
    }
}
