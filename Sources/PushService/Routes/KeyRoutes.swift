internal import Hummingbird
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

/// Only the command creates a key.
enum KeyRoutes {
    static let all = [
        ServiceRoute(.get, "/v1/keys", .admin, handler: list),
        ServiceRoute(.delete, "/v1/keys/{id}", .admin, handler: revoke),
    ]

    @Sendable private static func list(_ request: APIRequest) async throws -> Response {
        let keys = try await request.parts.keys.list().filter { isVisible($0, request) }
        try request.hold(entries: keys.count)
        let uses = try await request.parts.keys.uses()
        return .list(keys.map { value($0, uses[$0.id], request) }, next: nil)
    }

    /// A key sees those whose apps it could use itself.
    private static func isVisible(_ key: APIKey, _ request: APIRequest) -> Bool {
        guard let own = request.key else { return false }
        return own.isForAllApps || !key.isForAllApps && Set(key.apps).isSubset(of: own.apps)
    }

    private static func value(_ key: APIKey, _ used: QueueTime?, _ request: APIRequest) -> PushJSONValue {
        .members([
            ("id", .string(key.id)), ("name", .string(key.name)),
            ("apps", .array(key.apps.sorted().map(PushJSONValue.string))),
            ("scopes", .array(key.scopes.map(\.rawValue).sorted().map(PushJSONValue.string))),
            ("created_at", JobAnswer.time(key.created)), ("last_used_at", used.map(JobAnswer.time)),
            ("is_own", .bool(key.id == request.key?.id)),
        ])
    }

    @Sendable private static func revoke(_ request: APIRequest) async throws -> Response {
        let id = request.parameters["id"] ?? ""
        guard let key = try await request.parts.keys.list().first(where: { $0.id == id }), isVisible(key, request)
        else { throw APIProblem.notFound("There is no such key.") }
        let app = key.apps.count == 1 && !key.isForAllApps ? key.apps[0] : ""
        let scopes = key.scopes.map(\.rawValue).sorted().joined(separator: ", ")
        try await request.audited("key.revoke", app: app, object: id, before: "\(key.name) (\(scopes))") { entry in
            guard try await request.parts.keys.revoke(id, audit: entry) else {
                throw APIProblem.notFound("There is no such key.")
            }
        }
        return .noContent
    }
}
