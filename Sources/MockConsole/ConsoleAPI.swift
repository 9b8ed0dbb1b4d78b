import APNSVocabulary
internal import HTTPTypes
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON

/// Answers the requests to the console: finds the route and the namespace, checks the form, and turns errors into answers.
final class ConsoleAPI: Sendable {
    let namespaces: MockNamespaces
    let stopRequests: AsyncStream<Void>

    /// The bytes that are held for clients: bodies that are being read, and answers that were not. No client has a key here, so half
    /// of it is for all of them, 192 MiB, and half of that for one address.
    let memory = SharedMemory(384 << 20)

    private let configuration: ConsoleConfiguration
    private let gate: RequestGate
    /// All routes. A test compares the OpenAPI document with them.
    let routes: RouteTable<ConsoleRequest>
    private let whenStopped: AsyncStream<Void>.Continuation
    private let answers = AnswersInProgress()

    init(namespaces: MockNamespaces, configuration: ConsoleConfiguration) {
        self.namespaces = namespaces
        self.configuration = configuration
        gate = RequestGate(
            names: Set(configuration.names.map { $0.lowercased() }), accessToken: configuration.accessToken,
            server: "mock")
        let (stopRequests, whenStopped) = AsyncStream<Void>.makeStream()
        self.stopRequests = stopRequests
        self.whenStopped = whenStopped
        let setup = SetupRoutes(namespaces: namespaces, configuration: configuration)
        let abilities = AbilityRoutes(abilities: configuration.abilities)
        let stop = ConsoleRoute(.post, "/v1/stop", scope: .mock) { _ in
            guard configuration.mayStop else {
                throw APIProblem.conflict(
                    "This mock can't be stopped through the API. The program that started it stops it.",
                    code: "not_stoppable")
            }
            whenStopped.yield()
            return .object(status: .accepted) { $0.member("detail", "The mock stops.") }
        }
        routes = RouteTable(
            PushRoutes.all + FaultRoutes.all + StateRoutes.all + DeviceRoutes.all + KeyRoutes.all
                + CertificateRoutes.all + ScenarioRoutes.all + EventRoutes.all + PhoneRoutes.all
                + NamespaceRoutes(namespaces: namespaces).all + setup.all + abilities.all
                + HealthRoutes(namespaces: namespaces).all
                + [stop])
    }

    /// Ends all requests that wait, and answers no others.
    func end() {
        whenStopped.finish()
        answers.end()
    }

    // MARK: Answering

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - client: The client, which can be gone before its answer; `nil` without a connection.
    /// - Returns: The answer.
    func respond(to request: Request, from client: ConnectedClients.Client? = nil) async -> Response {
        var response: Response
        do {
            response = try await answers.run { try await self.answer(request, from: client) }
        } catch {
            response = APIProblem(of: error, in: "mock").response
        }
        response.complete(for: request)
        return response
    }

    private func answer(_ request: Request, from client: ConnectedClients.Client?) async throws -> Response {
        let path = request.uri.path
        // First, so that strangers do not learn which paths and namespaces there are.
        let isOfPage = WebPage.inbox.exists(for: path)
        try gate.check(request, isOpen: isOfPage || HealthRoutes.isOpen(path), isOfPage: isOfPage)
        if let page = WebPage.inbox.answer(to: request) { return page }
        let (namespace, route, parameters) = try find(request.method, path)
        let query = try QueryReader.read(request.uri.query ?? "", known: route.query)
        var body: [UInt8] = []
        let held = memory.reservation(for: client?.holder ?? .address(""))
        defer { withExtendedLifetime(held) {} }
        if route.writes {
            let content = RequestBody(asyncSequence: RequestContent(request, client: client))
            body = try await RequestContent.collect(
                content, atMost: min(route.bodyBytes ?? .max, configuration.bodyBytes), held)
            try gate.checkWrite(request, hasBody: !body.isEmpty, accepts: route.accepts)
        }
        return try await route.handler(
            ConsoleRequest(
                namespace: namespace, parameters: parameters, query: query, body: body, source: request, client: client,
                answers: answers))
    }

    private func find(
        _ method: HTTPRequest.Method, _ path: String
    ) throws(APIProblem) -> (MockNamespace, ConsoleRoute, [String: String]) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var namespace = namespaces.main
        var scopes: [ConsoleRequest.Scope] = [.mock, .namespace]
        if parts.count > 4, parts[1] == "v1", parts[2] == "namespaces" {
            namespace = try namespaces.find(String(parts[3]))
            scopes = [.namespace]
            parts.removeSubrange(2...3)
        }
        let found = try routes.find(method, path, among: routes.fitting(parts) { scopes.contains($0) })
        return (namespace, found.route, found.parameters)
    }
}
