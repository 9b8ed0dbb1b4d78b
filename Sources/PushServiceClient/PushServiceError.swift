internal import NIOCore
internal import NIOFoundationCompat
internal import PushPlatform

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
