internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushJSON

/// An answer that describes what is wrong with a request, in the format of RFC 9457.
struct APIProblem: Error, Sendable {
    /// The status of the answer.
    var status: HTTPResponse.Status
    /// A stable word for programs.
    var code: String
    /// What is wrong, in a sentence. It never contains a whole device token or a key.
    var detail: String
    /// The JSON Pointer of the member, or the name of the query parameter or header that is wrong.
    var field: String?
    /// Where in the body it is.
    var position: TextPosition?
    /// How to correct it.
    var remedy: String?
    /// Further members.
    var more: [String: PushJSONValue] = [:]
    /// Further header fields.
    var headers: [HTTPField] = []

    /// A request with a mistake.
    static func invalid(
        _ detail: String, code: String = "invalid_value", field: String? = nil, at position: TextPosition? = nil,
        remedy: String? = nil
    ) -> APIProblem {
        APIProblem(
            status: .badRequest, code: code, detail: detail, field: field, position: position, remedy: remedy)
    }

    /// A well-formed request that cannot be carried out.
    static func impossible(
        _ detail: String, code: String, field: String? = nil, at position: TextPosition? = nil,
        remedy: String? = nil
    ) -> APIProblem {
        APIProblem(
            status: .unprocessableContent, code: code, detail: detail, field: field, position: position,
            remedy: remedy)
    }

    /// Something that does not exist, or belongs to an app that the key is not for.
    static func notFound(_ detail: String, code: String = "not_found", remedy: String? = nil) -> APIProblem {
        APIProblem(status: .notFound, code: code, detail: detail, remedy: remedy)
    }

    /// Something that is possible again later.
    static func later(
        _ status: HTTPResponse.Status, code: String, _ detail: String, afterSeconds seconds: Int,
        remedy: String = "Send the request again later."
    ) -> APIProblem {
        APIProblem(
            status: status, code: code, detail: detail, remedy: remedy,
            headers: [HTTPField(name: .retryAfter, value: String(max(seconds, 1)))])
    }

    /// The service is being stopped.
    static var stopping: APIProblem {
        .later(.serviceUnavailable, code: "stopping", "The service is being stopped.", afterSeconds: 2)
    }

    /// The queue, or what the answer needs, took too long.
    static var tooSlow: APIProblem {
        .later(
            .serviceUnavailable, code: "too_slow",
            "The service could not answer in time: the queue is slow or stands still. The request may still be carried out.",
            afterSeconds: 5, remedy: "Send it again later, with the same Idempotency-Key.")
    }

    /// A key with too many connections.
    static var tooManyConnections: APIProblem {
        .later(
            .tooManyRequests, code: "too_many_connections", "This key has half of all connections already.",
            afterSeconds: 1, remedy: "Close connections that you don't use.")
    }

    /// The members of the problem that describe the error.
    var members: PushJSONValue {
        .members([
            ("code", .string(code)), ("detail", .string(detail)), ("field", field.map(PushJSONValue.string)),
            ("line", position.map { .integer($0.line) }), ("column", position.map { .integer($0.column) }),
            ("remedy", remedy.map(PushJSONValue.string)),
        ]).adding(more)
    }

    /// The answer.
    var response: Response {
        let body = members.adding([
            "type": "about:blank", "title": .string(status.reasonPhrase), "status": .integer(status.code),
        ])
        var response = Response(json: body, status: status)
        response.headers[.contentType] = "application/problem+json"
        for header in headers { response.headers[header.name] = header.value }
        return response
    }
}

extension APIProblem {
    /// A request that is refused before its route.
    init(_ refusal: GateRefusal) {
        self.init(
            status: refusal.status, code: refusal.code, detail: refusal.detail, field: refusal.field,
            remedy: refusal.remedy, headers: refusal.header.map { [$0] } ?? [])
    }

    /// Too many requests that wait.
    init(_ refusal: TooManyWaiting) {
        self = .later(
            .tooManyRequests, code: "too_many_waiting", refusal.detail, afterSeconds: 1, remedy: refusal.remedy)
    }

    /// A client for which there is no memory.
    init(_ refusal: SharedMemoryFull) {
        self = .later(
            refusal.refusal == .share ? .tooManyRequests : .serviceUnavailable, code: "memory_full", refusal.detail,
            afterSeconds: 1, remedy: refusal.remedy)
    }

    /// A body that can't be read to its end.
    init(_ error: BrokenBody) {
        self = .invalid(error.detail, code: "broken_body")
    }
}
