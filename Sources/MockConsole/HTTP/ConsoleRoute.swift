internal import HTTPTypes
internal import Hummingbird
import PushHTTP

/// A route of the console.
typealias ConsoleRoute = WebRoute<ConsoleRequest>

extension ConsoleRoute {
    /// Creates a route. Most are about one namespace.
    init(
        _ method: HTTPRequest.Method, _ path: String, scope: ConsoleRequest.Scope = .namespace, query: [String] = [],
        accepts: BodyForm = .json, handler: @escaping @Sendable (ConsoleRequest) async throws -> Response
    ) {
        self.init(method, path, scope, query: query, accepts: accepts, handler: handler)
    }
}

extension WebPage {
    /// The inbox page, which the console serves.
    static let inbox = WebPage(PageFiles.all)
}
