import APNSVocabulary
internal import HTTPTypes
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushPlatform

/// Answers the requests to the console: finds the route and the namespace, checks the form, and turns errors into answers.
final class ConsoleAPI: Sendable {
    let spaces: MockSpaces
    let stopRequests: AsyncStream<Void>

    /// The bytes that are held for clients: bodies that are being read, and answers that were not. No client has a key here, so half
    /// of it is for all of them, 192 MiB, and half of that for one address.
    let memory = SharedMemory(384 << 20)

    private let configuration: ConsoleConfiguration
    private let gate: RequestGate
    private let routes: [ConsoleRoute]
    private let whenStopped: AsyncStream<Void>.Continuation
    /// Requests that are being answered, so that they can be ended.
    private let answers = AnswersInProgress()

    init(spaces: MockSpaces, configuration: ConsoleConfiguration) {
        self.spaces = spaces
        self.configuration = configuration
        gate = RequestGate(
            names: Set(configuration.names.map { $0.lowercased() }), accessToken: configuration.accessToken,
            server: "mock")
        let (stopRequests, whenStopped) = AsyncStream<Void>.makeStream()
        self.stopRequests = stopRequests
        self.whenStopped = whenStopped
        let setup = SetupRoutes(spaces: spaces, configuration: configuration)
        let abilities = AbilityRoutes(abilities: configuration.abilities)
        let stop = ConsoleRoute(.post, "/v1/stop", scope: .mock) { _ in
            guard configuration.mayStop else {
                throw ConsoleProblem(
                    status: .conflict, code: "not_stoppable",
                    detail: "This mock cannot be stopped through the API. The program that started it stops it.")
            }
            whenStopped.yield()
            return Response(status: .accepted) { $0.object { $0.member("detail", "The mock stops.") } }
        }
        routes =
            PushRoutes.all + FaultRoutes.all + StateRoutes.all + DeviceRoutes.all + KeyRoutes.all
            + CertificateRoutes.all + ScenarioRoutes.all + EventRoutes.all + PhoneRoutes.all
            + SpaceRoutes(spaces: spaces).all + setup.all + abilities.all + HealthRoutes(spaces: spaces).all
            + [stop]
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
        var response = await result(of: request, from: client)
        response.headers[.xContentTypeOptions] = "nosniff"
        // No page of another origin can read an answer by embedding it.
        if let name = HTTPField.Name("cross-origin-resource-policy") { response.headers[name] = "same-origin" }
        if request.method == .head {
            // The length stays that of the body for GET.
            let length = response.body.contentLength
            response.body = ResponseBody()
            response.headers[.contentLength] = length.map(String.init)
        }
        return response
    }

    private func result(of request: Request, from client: ConnectedClients.Client?) async -> Response {
        do {
            return try await answers.run { try await self.answer(request, from: client) }
        } catch let problem as ConsoleProblem {
            return problem.response
        } catch let refusal as GateRefusal {
            return ConsoleProblem(refusal).response
        } catch let refusal as TooManyWaiting {
            return ConsoleProblem(refusal).response
        } catch let refusal as SharedMemoryFull {
            return ConsoleProblem(refusal).response
        } catch let error as BrokenBody {
            return ConsoleProblem.invalid(error.detail, code: "broken_body").response
        } catch is CancellationError {
            return ConsoleProblem(status: .serviceUnavailable, code: "stopping", detail: "The mock is being stopped.")
                .response
        } catch {
            return ConsoleProblem(
                status: .internalServerError, code: "internal", detail: "The request could not be answered."
            ).response
        }
    }

    private func answer(_ request: Request, from client: ConnectedClients.Client?) async throws -> Response {
        let path = request.uri.path
        // First, so that strangers do not learn which paths and namespaces there are.
        let isOfPage = InboxPage.page.exists(for: path)
        try gate.check(request, isOpen: isOfPage || HealthRoutes.isOpen(path), isOfPage: isOfPage)
        if let page = InboxPage.page.answer(to: request) { return page }
        let (space, route, parameters) = try find(request.method, path)
        let query = try Self.query(request, of: route)
        var body: [UInt8] = []
        let held = memory.reservation(for: client?.holder ?? .address(""))
        defer { withExtendedLifetime(held) {} }
        if route.writes {
            body = try await self.body(of: request, client, held)
            try gate.checkWrite(request, hasBody: !body.isEmpty, acceptsYAML: route.acceptsYAML)
        }
        return try await route.handler(
            ConsoleRequest(
                space: space, parameters: parameters, query: query, body: body, headers: request.headers,
                source: request, client: client, answers: answers))
    }

    /// Finds the namespace and the route of a request.
    private func find(
        _ method: HTTPRequest.Method, _ path: String
    ) throws(ConsoleProblem) -> (MockSpace, ConsoleRoute, [String: String]) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var space = spaces.main
        var scopes: [ConsoleRoute.Scope] = [.mock, .namespace]
        if parts.count > 4, parts[1] == "v1", parts[2] == "namespaces" {
            let name = String(parts[3])
            guard let found = spaces[name] else {
                throw .notFound(
                    "There is no namespace \(name.debugDescription).", remedy: "POST /v1/namespaces creates one.")
            }
            space = found
            scopes = [.namespace]
            parts.removeSubrange(2...3)
        }
        let fitting = routes.compactMap { route in
            scopes.contains(route.scope) ? route.parameters(of: parts).map { (route: route, parameters: $0) } : nil
        }
        // A path in words is meant before one with variable parts: /pushes/count is not the number of a push.
        let fewest = fitting.map(\.parameters.count).min()
        let possible = fitting.filter { $0.parameters.count == fewest }
        if let found = possible.first(where: { $0.route.serves(method) }) {
            return (space, found.route, found.parameters)
        }
        guard !possible.isEmpty else {
            throw .notFound(
                "There is nothing at \(path.debugDescription).", remedy: "GET /v1/openapi.json lists all paths.")
        }
        let allowed = possible.map(\.route.method.rawValue).joined(separator: ", ")
        throw ConsoleProblem(
            status: .methodNotAllowed, code: "method_not_allowed",
            detail: "\(method.rawValue) is not allowed for \(path).", remedy: "Possible: \(allowed).",
            headers: [HTTPField(name: .allow, value: allowed)])
    }

    private func body(
        of request: Request, _ client: ConnectedClients.Client?, _ held: SharedMemory.Reservation
    ) async throws -> [UInt8] {
        let body = RequestBody(asyncSequence: RequestContent(request, client: client))
        do {
            return try await RequestContent.collect(body, atMost: configuration.bodyBytes, held)
        } catch is BodyTooLong {
            throw ConsoleProblem(
                status: .contentTooLarge, code: "body_too_large",
                detail: "The body is longer than \(configuration.bodyBytes) bytes.")
        }
    }

    private static func query(_ request: Request, of route: ConsoleRoute) throws(ConsoleProblem) -> [String: String] {
        var query: [String: String] = [:]
        for pair in (request.uri.query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.text(parts[0], plusIsBlank: true),
                let value = PercentEncoding.text(parts.count == 2 ? parts[1] : "", plusIsBlank: true)
            else { throw .invalid("The query is not URL-encoded text.", code: "invalid_query") }
            guard route.query.contains(name) else {
                throw .invalid(
                    "Unknown query parameter \(name.debugDescription).", code: "unknown_parameter", field: name,
                    remedy: route.query.isEmpty
                        ? "This path has none." : "Known: \(route.query.joined(separator: ", ")).")
            }
            guard query.updateValue(value, forKey: name) == nil else {
                throw .invalid("The query parameter \(name) occurs twice.", code: "repeated_parameter", field: name)
            }
        }
        return query
    }

    /// All routes, for the test that compares the OpenAPI document with them.
    var routeNames: [String] { routes.map { "\($0.method.rawValue) \($0.path)" } }
}

/// The inbox page, which the console serves.
enum InboxPage {
    static let page = WebPage(PageFiles.all)
}
