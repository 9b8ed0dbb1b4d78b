internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushPlatform

/// A method, a path, and what answers them.
struct ServiceRoute: Sendable {
    let method: HTTPRequest.Method
    /// The path. A part in braces is variable.
    let path: String
    /// What a key must be allowed to do; `nil` if no key is needed.
    let scope: KeyScope?
    /// The query parameters that the route accepts.
    let query: [String]
    /// Whether the route reads the body itself, as a stream.
    let streamsBody: Bool
    /// Whether the body may be CSV.
    let acceptsCSV: Bool
    let handler: @Sendable (APIRequest) async throws -> Response
    private let parts: [Part]

    private enum Part {
        case segment(Substring)
        case variable(String)
    }

    init(
        _ method: HTTPRequest.Method, _ path: String, _ scope: KeyScope?, query: [String] = [],
        streamsBody: Bool = false, acceptsCSV: Bool = false,
        handler: @escaping @Sendable (APIRequest) async throws -> Response
    ) {
        (self.method, self.path, self.scope, self.query) = (method, path, scope, query)
        (self.streamsBody, self.acceptsCSV) = (streamsBody, acceptsCSV)
        self.handler = handler
        parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") ? .variable(String(part.dropFirst().dropLast())) : .segment(part)
        }
    }

    /// Whether the route changes something.
    var writes: Bool { method != .get }

    /// Whether the route answers a method. HEAD is GET without the body.
    func serves(_ asked: HTTPRequest.Method) -> Bool {
        asked == method || asked == .head && method == .get
    }

    /// The methods for `allow`.
    var methods: [String] { method == .get ? ["GET", "HEAD"] : [method.rawValue] }

    /// The variable parts of a path that fits; `nil` if it does not fit.
    func parameters(of path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, path) {
            switch part {
            case .segment(let own): if own != segment { return nil }
            case .variable(let name):
                guard let decoded = PercentEncoding.text(segment), !decoded.isEmpty else { return nil }
                parameters[name] = decoded
            }
        }
        return parameters
    }
}
