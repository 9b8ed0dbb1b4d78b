import APNSVocabulary
internal import HTTPTypes
internal import Hummingbird
import MockAPNs
import PushHTTP
import VirtualPhones

/// An answer that says what is wrong with a request, as RFC 9457 describes it.
struct ConsoleProblem: Error, Sendable {
    /// The status of the answer.
    var status: HTTPResponse.Status
    /// A stable word for programs.
    var code: String
    /// What is wrong, in a sentence.
    var detail: String
    /// The JSON Pointer of the member, or the name of the query parameter or header that is wrong.
    var field: String?
    /// Where in the body it is.
    var location: MockJSON.Location?
    /// How to correct it.
    var remedy: String?
    /// Further members, written into the object.
    var more: (@Sendable (inout JSONWriter) -> Void)?
    /// Further header fields.
    var headers: [HTTPField] = []

    /// A request with a mistake.
    static func invalid(
        _ detail: String, code: String = "invalid_value", field: String? = nil, at location: MockJSON.Location? = nil,
        remedy: String? = nil
    ) -> ConsoleProblem {
        ConsoleProblem(
            status: .badRequest, code: code, detail: detail, field: field, location: location, remedy: remedy)
    }

    /// Something that does not exist.
    static func notFound(_ detail: String, remedy: String? = nil) -> ConsoleProblem {
        ConsoleProblem(status: .notFound, code: "not_found", detail: detail, remedy: remedy)
    }

    /// The answer.
    var response: Response {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", "about:blank")
            writer.member("title", status.reasonPhrase)
            writer.member("status", status.code)
            writer.member("code", code)
            writer.member("detail", detail)
            writer.member("field", field)
            writer.member("line", location?.line)
            writer.member("column", location?.column)
            writer.member("remedy", remedy)
            more?(&writer)
        }
        var response = Response(json: writer.bytes, status: status)
        response.headers[.contentType] = "application/problem+json"
        for header in headers { response.headers[header.name] = header.value }
        return response
    }
}

extension ConsoleProblem {
    /// A request that is refused before its route.
    init(_ refusal: GateRefusal) {
        self.init(
            status: refusal.status, code: refusal.code, detail: refusal.detail, field: refusal.field,
            remedy: refusal.remedy, headers: refusal.header.map { [$0] } ?? [])
    }

    /// Too many requests that wait.
    init(_ refusal: TooManyWaiting) {
        self.init(
            status: .tooManyRequests, code: "too_many_waiting", detail: refusal.detail, remedy: refusal.remedy,
            headers: [HTTPField(name: .retryAfter, value: "1")])
    }

    /// A client for which there is no memory.
    init(_ refusal: SharedMemoryFull) {
        self.init(
            status: .tooManyRequests, code: "memory_full", detail: refusal.detail, remedy: refusal.remedy,
            headers: [HTTPField(name: .retryAfter, value: "1")])
    }

    /// A profile of a phone with a mistake.
    init(_ error: PhoneProfileError) {
        self = .invalid(
            error.message, code: "invalid_profile", field: error.field, at: error.location,
            remedy: error.remedy ?? "docs/phones.md describes profiles.")
    }

    /// An action that cannot be performed on a phone.
    init(_ error: PhoneActionError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .neverShown, .noPhone, .noApp: .notFound
            case .notShown: .conflict
            case .incomplete: .badRequest
            default: .unprocessableContent
            }
        self.init(status: status, code: error.code.name, detail: error.message, remedy: error.remedy)
    }

    /// A fault that the mock does not take.
    init(_ error: MockFaultError) {
        if error.code == .tooMany {
            self.init(
                status: .tooManyRequests, code: "too_many_faults", detail: error.description,
                remedy: "DELETE /v1/faults removes all of them.")
        } else {
            self = .invalid(error.description, code: "impossible_fault", remedy: "docs/faults.md describes all faults.")
        }
    }
}

extension Response {
    /// An answer with JSON.
    init(json: [UInt8], status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }

    /// An answer with JSON that other answers share.
    init(json: ByteBuffer) {
        self.init(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: json))
    }

    /// An answer with JSON that a closure writes.
    init(status: HTTPResponse.Status = .ok, json write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        self.init(json: writer.bytes, status: status)
    }

    /// An answer with a text or a file.
    init(_ bytes: [UInt8], type: String, fileName: String? = nil) {
        self.init(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        if let fileName { headers[.contentDisposition] = "attachment; filename=\"\(fileName)\"" }
    }

    /// An answer without a body.
    static var noContent: Response { Response(status: .noContent) }
}
