import APNSVocabulary
internal import Hummingbird
import PushHTTP
import PushJSON
internal import PushPlatform
import PushQueue

enum GoneTokenRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/gone-tokens", .read, query: ["app", "limit", "after"], handler: list),
        ServiceRoute(.delete, "/v1/gone-tokens/{token}", .admin, query: ["app"], handler: forget),
    ]

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        let page = try await request.parts.queue.gone(
            app: try request.appName(), after: request.query["after"], limit: try request.limit())
        let items = page.items.map { token -> PushJSONValue in
            ["token": .string(token.token), "gone_since": JobAnswer.time(token.since)]
        }
        return request.list(items, next: page.next)
    }

    @Sendable private static func forget(_ request: APIRequest) async throws -> Response {
        let app = try request.appName()
        let token = try rethrowing(try DeviceToken(pasted: request.parameters["token"] ?? "")) {
            (error: DeviceTokenError) in
            APIProblem.invalid("\(error)", code: "invalid_token", field: "token")
        }
        guard try await !request.parts.queue.gone(among: [token.hex], app: app).isEmpty else {
            throw APIProblem.notFound("The token isn't recorded as gone.")
        }
        try await request.audited("gone_token.forget", app: app, object: token.shortened) { entry in
            try await request.parts.queue.forgetGone([token.hex], app: app, audit: entry)
        }
        return .noContent
    }
}
