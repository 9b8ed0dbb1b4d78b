package import HTTPTypes
package import Hummingbird
package import PushJSON
import PushPlatform
import PushTime

/// An answer that describes what is wrong with a request, in the format of RFC 9457.
package struct APIProblem: Error, Sendable {
    package var status: HTTPResponse.Status
    /// A stable word for programs.
    package var code: String
    /// What is wrong, in a sentence. It never contains a whole device token or a key.
    package var detail: String
    /// The JSON Pointer of the member, or the name of the query parameter or header that is wrong.
    package var field: String?
    /// Where in the body it is.
    package var position: TextPosition?
    package var remedy: String?
    /// Further members.
    package var more: [String: PushJSONValue] = [:]
    /// Further members of the answer, as the text of an object.
    package var moreText: [UInt8]
    package var headers: [HTTPField]

    package init(
        status: HTTPResponse.Status, code: String, detail: String, field: String? = nil,
        position: TextPosition? = nil, remedy: String? = nil, moreText: [UInt8] = [], headers: [HTTPField] = []
    ) {
        (self.status, self.code, self.detail, self.field) = (status, code, detail, field)
        (self.position, self.remedy, self.moreText, self.headers) = (position, remedy, moreText, headers)
    }

    package static func invalid(
        _ detail: String, code: String = "invalid_value", field: String? = nil, at position: TextPosition? = nil,
        remedy: String? = nil
    ) -> APIProblem {
        APIProblem(
            status: .badRequest, code: code, detail: detail, field: field, position: position, remedy: remedy)
    }

    /// A well-formed request that cannot be carried out.
    package static func impossible(
        _ detail: String, code: String, field: String? = nil, at position: TextPosition? = nil,
        remedy: String? = nil
    ) -> APIProblem {
        APIProblem(
            status: .unprocessableContent, code: code, detail: detail, field: field, position: position,
            remedy: remedy)
    }

    /// A request that doesn't fit the present state.
    package static func conflict(
        _ detail: String, code: String, field: String? = nil, remedy: String? = nil
    ) -> APIProblem {
        APIProblem(status: .conflict, code: code, detail: detail, field: field, remedy: remedy)
    }

    /// Something that does not exist, or belongs to an app that the key is not for.
    package static func notFound(_ detail: String, code: String = "not_found", remedy: String? = nil) -> APIProblem {
        APIProblem(status: .notFound, code: code, detail: detail, remedy: remedy)
    }

    /// Something that is possible again later.
    package static func later(
        _ status: HTTPResponse.Status, code: String, _ detail: String, afterSeconds seconds: Int,
        remedy: String = "Send the request again later."
    ) -> APIProblem {
        APIProblem(
            status: status, code: code, detail: detail, remedy: remedy,
            headers: [HTTPField(name: .retryAfter, value: String(max(seconds, 1)))])
    }

    private var described: [(String, PushJSONValue?)] {
        [
            ("code", .string(code)), ("detail", .string(detail)), ("field", field.map(PushJSONValue.string)),
            ("line", position.map { .integer($0.line) }), ("column", position.map { .integer($0.column) }),
            ("remedy", remedy.map(PushJSONValue.string)),
        ]
    }

    /// The members of the problem that describe the error.
    package var members: PushJSONValue { .members(described).adding(more) }

    static let contentType = "application/problem+json"

    /// The body of the answer. A person who reads it finds the error before its details.
    var body: [UInt8] {
        let head: [(String, PushJSONValue?)] = [
            ("type", "about:blank"), ("title", .string(status.reasonPhrase)), ("status", .integer(status.code)),
        ]
        let others = more.sorted { $0.key < $1.key }.map { ($0.key, Optional($0.value)) }
        var json = JSONWriter()
        json.object { json in
            for case (let name, let value?) in head + described + others { json.member(name) { $0.raw(value.encoded) } }
            if moreText.count > 2 { json.raw(Array(moreText.dropFirst().dropLast())) }
        }
        return json.bytes
    }

    package var response: Response {
        var response = Response(body, type: Self.contentType, status: status)
        for header in headers { response.headers[header.name] = header.value }
        return response
    }
}

extension APIProblem: ReadingMistake {}

/// An error that a client learns of.
package protocol ProblemError: Error {
    var problem: APIProblem { get }
}

extension APIProblem: ProblemError {
    package var problem: APIProblem { self }

    /// The answer to a request that failed.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - server: What the server is called: `mock`.
    package init(of error: any Error, in server: String) {
        switch error {
        case let error as any ProblemError: self = error.problem
        case is CancellationError:
            self = .later(
                .serviceUnavailable, code: "stopping", "The \(server) is being stopped.", afterSeconds: 2)
        default:
            self.init(
                status: .internalServerError, code: "internal", detail: "The request couldn't be answered.")
        }
    }
}

extension ObjectReader<APIProblem> {
    /// Any time, in milliseconds since 1970. All requests read it with this, so that a mistake has the same words everywhere.
    package func milliseconds(_ name: String, takesMilliseconds: Bool = false) throws(APIProblem) -> Int64? {
        guard let text = try text(name, "a time") else { return nil }
        return try rethrowing(try TimeText.millisecondsSince1970(text, in: name, takesMilliseconds: takesMilliseconds))
        { (error: TimeText.Mistake) in
            problem(name, error.problem, remedy: error.advice)
        }
    }
}
