internal import HTTPTypes
internal import Hummingbird
import PushHTTP

/// Finds out whose request it is: by its key, or by the session of its browser.
enum ServiceAccess {
    /// The key of a request.
    ///
    /// - Throws: ``APIProblem`` if the key is missing or wrong, and if a session writes without its CSRF token.
    static func key(of request: Request, _ parts: ServiceParts) async throws -> APIKey {
        if let text = RequestGate.bearer(of: request) {
            guard let key = try await parts.keys.verify(text) else {
                throw noAccess("This key is unknown or was revoked.")
            }
            return key
        }
        guard !SessionCookie.ids(in: request, isSecure: parts.isSecure).isEmpty else {
            throw noAccess("The request has no key.")
        }
        guard let (session, key) = try await session(of: request, parts) else { throw noSession }
        if request.method != .get, request.method != .head { try checkCSRF(request, session) }
        return key
    }

    /// The session of a request with its key; `nil` if there is none, or the key was revoked. Two sessions count as none: one of
    /// them is a stranger's.
    static func session(
        of request: Request, _ parts: ServiceParts
    ) async throws -> (Sessions.Session, APIKey)? {
        var found: [(Sessions.Session, APIKey)] = []
        for id in SessionCookie.ids(in: request, isSecure: parts.isSecure) {
            guard let session = try await parts.sessions.session(id) else { continue }
            if let key = try await parts.keys.key(of: session.key) {
                found.append((session, key))
            } else {
                try await parts.sessions.close(id)
            }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Checks that a request that changes something comes from our page. A browser sends the cookie with requests of other pages, too.
    static func checkCSRF(_ request: Request, _ session: Sessions.Session) throws(APIProblem) {
        let given = SessionCookie.csrfField.flatMap { request.headers[$0] } ?? ""
        guard ConstantTime.isEqual(given, session.csrf) else {
            throw APIProblem(
                status: .forbidden, code: "csrf_token",
                detail: "In a session, a request that changes something needs the session's CSRF token.",
                field: "x-csrf-token", remedy: "GET /v1/session returns the token. Programs use a key instead.")
        }
    }

    static var noSession: APIProblem {
        APIProblem(
            status: .unauthorized, code: "no_session", detail: "There is no such session, or it has ended.",
            field: "cookie", remedy: "Log in: POST /v1/session with a key.")
    }

    private static func noAccess(_ detail: String) -> APIProblem {
        APIProblem(
            status: .unauthorized, code: "no_access", detail: detail, field: "authorization",
            remedy: "Send the header \"authorization: bearer KEY\", with an API key of this service.",
            headers: [HTTPField(name: .wwwAuthenticate, value: "Bearer")])
    }
}
