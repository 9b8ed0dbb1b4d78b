internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushPlatform

/// A method, a path, and what answers them.
struct ConsoleRoute: Sendable {
    /// What a request may be about.
    enum Scope: Sendable {
        /// The whole mock: the path has no namespace.
        case mock
        /// One namespace: the path may begin with `/v1/namespaces/NAME`.
        case namespace
    }

    let method: HTTPRequest.Method
    /// The path. A part in braces is variable.
    let path: String
    let scope: Scope
    /// The query parameters that the route knows.
    let query: [String]
    /// Whether a write can also have a body in YAML.
    let acceptsYAML: Bool
    /// Whether the answer has no end, so that there is no HEAD.
    let isEndless: Bool
    let handler: @Sendable (ConsoleRequest) async throws -> Response
    private let parts: [Substring]

    init(
        _ method: HTTPRequest.Method, _ path: String, scope: Scope = .namespace, query: [String] = [],
        acceptsYAML: Bool = false, isEndless: Bool = false,
        handler: @escaping @Sendable (ConsoleRequest) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.scope = scope
        self.query = query
        self.acceptsYAML = acceptsYAML
        self.isEndless = isEndless
        self.handler = handler
        parts = path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Whether the route changes something.
    var writes: Bool { method != .get }

    /// Whether the route answers a method. HEAD is GET without the body.
    func serves(_ asked: HTTPRequest.Method) -> Bool {
        asked == method || asked == .head && method == .get && !isEndless
    }

    /// The variable parts of a path that fits; `nil` if it does not fit.
    func parameters(of path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, path) {
            if part.hasPrefix("{") {
                guard let decoded = PercentEncoding.text(segment), !decoded.isEmpty else { return nil }
                parameters[String(part.dropFirst().dropLast())] = decoded
            } else if part != segment {
                return nil
            }
        }
        return parameters
    }
}
