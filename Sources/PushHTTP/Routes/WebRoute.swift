package import HTTPTypes
package import Hummingbird
import PushPlatform

package struct WebRoute<Call: WebRequest>: Sendable {
    package let method: HTTPRequest.Method
    /// The path. A part in braces is variable.
    package let path: String
    package let scope: Call.Scope
    package let query: [String]
    /// What the body of a write may be.
    package let accepts: BodyForm
    /// The maximum size of the body, in bytes; `nil` for the limit of the server.
    package let bodyBytes: Int?
    package let handler: @Sendable (Call) async throws -> Response
    let pattern: PathPattern

    package init(
        _ method: HTTPRequest.Method, _ path: String, _ scope: Call.Scope, query: [String] = [],
        accepts: BodyForm = .json, bodyBytes: Int? = nil,
        handler: @escaping @Sendable (Call) async throws -> Response
    ) {
        (self.method, self.path, self.scope, self.query) = (method, path, scope, query)
        (self.accepts, self.bodyBytes, self.handler) = (accepts, bodyBytes, handler)
        pattern = PathPattern(path)
    }

    package var writes: Bool { method != .get }

    /// The methods that the route answers. HEAD is GET without the body.
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    func answers(_ asked: HTTPRequest.Method) -> Bool { asked == method || asked == .head && method == .get }
}

/// The path of a route, which is compared with that of each request.
///
/// It isn't generic: generic code isn't specialized for other modules, and matching would take ten times as long.
struct PathPattern: Sendable {
    private enum Part {
        case word(String)
        case variable(String)
    }

    private let parts: [Part]

    init(_ path: String) {
        parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") ? .variable(String(part.dropFirst().dropLast())) : .word(String(part))
        }
    }

    /// The variable parts of a path that fits; `nil` if it does not fit.
    func parameters(of path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, path) {
            switch part {
            case .variable(let name):
                guard let decoded = PercentEncoding.text(segment), !decoded.isEmpty else { return nil }
                parameters[name] = decoded
            case .word(let word):
                if word == segment { continue }
                // A letter means the same in percent-encoding (RFC 3986, 6.2.2.2).
                guard segment.utf8.contains(UInt8(ascii: "%")), PercentEncoding.text(segment) == word else {
                    return nil
                }
            }
        }
        return parameters
    }
}

/// What the body of a write may be, besides JSON.
package enum BodyForm: Sendable {
    case json
    /// One document, in JSON or YAML.
    case yaml
    /// One document in JSON, or lines in JSON or CSV.
    case lines
}
