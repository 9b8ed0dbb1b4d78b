internal import HTTPTypes
internal import Hummingbird
import Logging
import NIOConcurrencyHelpers
import PushHTTP
import PushQueue

/// Answers the requests to the API: checks the key, finds the route, and turns errors into answers.
final class ServiceAPI: Sendable {
    let parts: ServiceParts
    private let gate: RequestGate
    /// All routes. A test compares the OpenAPI document with them.
    static let routes = RouteTable(
        SendRoutes.all + ListRoutes.all + CancelRoutes.all + ResultRoutes.all + GoneTokenRoutes.all
            + DeadLetterRoutes.all + CampaignRoutes.all + SessionRoutes.all + StatusRoutes.all + StatisticsRoutes.all
            + WebhookRoutes.all + KeyRoutes.all + DeliveryRoutes.all + AuditRoutes.all + DeviceDataRoutes.all)

    init(parts: ServiceParts, gate: RequestGate) {
        (self.parts, self.gate) = (parts, gate)
    }

    // MARK: Answering

    func respond(to request: Request, from client: ConnectedClients.Client?) async -> Response {
        let known = NIOLockedValueBox<APIKey?>(nil)
        var response = await result(of: request, from: client, known)
        if let key = known.withLockedValue({ $0 }) { setRate(of: key, in: &response) }
        response.complete(for: request)
        parts.metrics.answered(response.status.code)
        return response
    }

    /// Tells a client how much its key may send, so that it can slow down before it is refused.
    private func setRate(of key: APIKey, in response: inout Response) {
        guard let limit = parts.rates.limit, let remaining = parts.rates.remaining(of: key.id) else { return }
        if let name = Self.rateLimit { response.headers[name] = String(limit) }
        if let name = Self.rateRemaining { response.headers[name] = String(remaining) }
    }

    private static let rateLimit = HTTPField.Name("ratelimit-limit")
    private static let rateRemaining = HTTPField.Name("ratelimit-remaining")

    private func result(
        of request: Request, from client: ConnectedClients.Client?, _ known: NIOLockedValueBox<APIKey?>
    ) async -> Response {
        let deadline = parts.answers.deadline(in: parts.limits.answerTime)
        do {
            return try await parts.answers.run(within: deadline) {
                try await self.answer(request, from: client, deadline, known)
            }
        } catch {
            log(error, request)
            return APIProblem(of: error, in: "service").response
        }
    }

    private func log(_ error: any Error, _ request: Request) {
        switch error {
        case is DeadlinePassed:
            // A path can have a device token.
            let path = request.uri.path.split(separator: "/", omittingEmptySubsequences: false)
            let route = Self.routes.fitting(path).first?.route.path
            parts.logger.warning("A request wasn't answered in time", metadata: ["path": "\(route ?? "")"])
        case let error as QueueError:
            // A mistake of the client, such as a cursor of another list, is nothing for the operator.
            if error.code != .invalid {
                parts.logger.warning("A request failed", metadata: ["error": "\(error.code.name)"])
            }
        case is any ProblemError, is CancellationError: break
        default: parts.logger.error("A request failed", metadata: ["error": "\(type(of: error))"])
        }
    }

    private func answer(
        _ asked: Request, from client: ConnectedClients.Client?, _ deadline: RequestDeadline,
        _ known: NIOLockedValueBox<APIKey?>
    ) async throws -> Response {
        var request = asked
        let path = request.uri.path
        let fitting = Self.routes.fitting(path.split(separator: "/", omittingEmptySubsequences: false))
        // This check comes first, so that a caller without a key cannot find out which paths exist.
        let isOpen = fitting.contains { $0.route.scope == nil }
        try gate.check(request, isOpen: true, isOfPage: WebPage.service.exists(for: path))
        if isOpen || WebPage.service.exists(for: path) { client?.requestBegan() }
        if let file = WebPage.service.answer(to: request) { return file }
        let key = isOpen ? nil : try await ServiceAccess.key(of: request, parts)
        if let key, client?.showedKey(key.id) == false { throw APIProblem.tooManyConnections }
        let (route, parameters) = try Self.routes.find(request.method, path, among: fitting)
        if let key, let scope = route.scope {
            guard key.may(scope) else { throw Self.missing(scope) }
            known.withLockedValue { $0 = key }
            try Intake.consumeRate(of: key, parts, 1)
        }
        var query = try QueryReader.read(request.uri.query ?? "", known: route.query, cursorMayBeEmpty: true)
        var cursors: CursorSeal?
        if route.query.contains("after") {
            let seal = try await parts.cursors.seal()
            for name in ["after", "before"] { query[name] = query[name].map(seal.open) }
            cursors = seal
        }
        let hasBody = Self.hasBody(request)
        if hasBody {
            request.body = RequestBody(
                asyncSequence: RequestContent(request, client: client, deadline: deadline))
        }
        let holder = key.map { SharedLimit.Holder.key($0.id) } ?? client?.holder ?? .address("")
        var complete = APIRequest(
            parts: parts, key: key, parameters: parameters, query: query, source: request, client: client,
            memory: parts.memory.reservation(for: holder, uncounted: Self.uncounted), deadline: deadline,
            bodyBytes: min(route.bodyBytes ?? .max, parts.limits.bodyBytes))
        complete.cursors = cursors
        if key != nil { complete.checkKey = { [parts] in _ = try await ServiceAccess.key(of: asked, parts) } }
        if route.writes {
            try gate.checkWrite(
                request, hasBody: hasBody, accepts: route.accepts,
                isOfProgram: RequestGate.bearer(of: request) != nil)
        }
        guard let limit = query["limit"].flatMap({ Int($0) }), limit > Self.quickEntries else {
            return try await route.handler(complete)
        }
        return try await parts.turns.run(for: holder) { [complete] in try await route.handler(complete) }
    }

    /// A request with a larger `limit` waits for its turn.
    private static let quickEntries = 100

    /// How many bytes of a request don't count in the memory that clients share, so that a small push is accepted even while
    /// others fill it. A connection has one request at a time.
    private static let uncounted = 4 << 10

    private static func hasBody(_ request: Request) -> Bool {
        request.headers.contains(.transferEncoding) || request.headers[.contentLength].map { $0 != "0" } ?? false
    }

    // MARK: Scopes

    private static func missing(_ scope: KeyScope) -> APIProblem {
        APIProblem(
            status: .forbidden, code: "scope_missing",
            detail: "The key doesn't allow this: it doesn't have the scope \(scope).",
            field: "authorization", remedy: "Use a key with the scope \(scope).")
    }
}
