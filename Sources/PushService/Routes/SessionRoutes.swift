internal import HTTPTypes
internal import Hummingbird
import PushHTTP
import PushJSON

/// The login of the page. A key is exchanged for a session, so that the key is never part of a URL or a script.
enum SessionRoutes {
    static let all = [
        ServiceRoute(.post, "/v1/session", nil, bodyBytes: longestLogin, handler: logIn),
        ServiceRoute(.get, "/v1/session", nil, handler: current),
        ServiceRoute(.delete, "/v1/session", nil, handler: logOut),
    ]

    /// The maximum number of bytes of a login.
    private static let longestLogin = 4096

    @Sendable private static func logIn(_ request: APIRequest) async throws -> Response {
        // This check comes first, so that a caller without a key causes little work.
        if let seconds = request.parts.logins.take(1, of: request.client?.address ?? "") {
            throw APIProblem.later(
                .tooManyRequests, code: "too_many_logins", "There were too many login attempts.",
                afterSeconds: Int(seconds.rounded(.up)))
        }
        let text = try await request.form("key").string("key") ?? ""
        guard let (proof, key) = try await request.parts.keys.proof(of: text) else { throw unknownKey }
        guard key.may(.read) else {
            let scopes = key.scopes.map(\.rawValue).sorted().joined(separator: ", ")
            throw APIProblem(
                status: .forbidden, code: "scope_missing",
                detail: "The page shows what is stored, which needs the scope read, but this key may only \(scopes).",
                field: "/key", remedy: "Use a key with the scope read: pushserve key create --app NAME --scope read")
        }
        guard let (id, session) = try await request.parts.sessions.open(proof) else { throw unknownKey }
        // The session that the browser may have had is another one.
        for old in SessionCookie.ids(in: request.source, isSecure: request.parts.isSecure) {
            try await request.parts.sessions.close(old)
        }
        var response = answer(session, key, request)
        response.headers[.setCookie] = SessionCookie.field(
            id, lasting: Sessions.lifetime, isSecure: request.parts.isSecure)
        return response
    }

    private static var unknownKey: APIProblem {
        APIProblem(
            status: .unauthorized, code: "no_access", detail: "This key is unknown or was revoked.",
            field: "/key", remedy: "Use an API key of this service that wasn't revoked.")
    }

    @Sendable private static func current(_ request: APIRequest) async throws -> Response {
        guard let (session, key) = try await ServiceAccess.session(of: request.source, request.parts) else {
            throw ServiceAccess.noSession
        }
        return answer(session, key, request)
    }

    @Sendable private static func logOut(_ request: APIRequest) async throws -> Response {
        for id in SessionCookie.ids(in: request.source, isSecure: request.parts.isSecure) {
            guard let session = try await request.parts.sessions.session(id) else { continue }
            try ServiceAccess.checkCSRF(request.source, session)
            try await request.parts.sessions.close(id)
        }
        var response = Response.noContent
        response.headers[.setCookie] = SessionCookie.field("", lasting: .zero, isSecure: request.parts.isSecure)
        return response
    }

    private static func answer(_ session: Sessions.Session, _ key: APIKey, _ request: APIRequest) -> Response {
        let apps = key.isForAllApps ? request.parts.apps.names : key.apps.sorted()
        return Response(json: [
            "apps": .array(apps.map(PushJSONValue.string)),
            "scopes": .array(key.scopes.map(\.rawValue).sorted().map(PushJSONValue.string)),
            "csrf": .string(session.csrf),
        ])
    }
}
