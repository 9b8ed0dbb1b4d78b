internal import HTTPTypes
internal import Hummingbird

/// Answers requests for the inbox page.
enum PageAnswer {
    /// The page runs only scripts and styles of its own, and asks only the mock. Nothing is inline, nobody can frame it.
    ///
    /// `blob:` is for attachments, which the page reads with its access token.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// Whether a path is one of the page. Its files contain no secret, so they need no access token: the page asks for it.
    static func exists(for path: String) -> Bool { PageFile.all[path] != nil }

    /// The file at the path of a request; `nil` if there is none.
    static func answer(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head, let file = PageFile.all[request.uri.path] else {
            return nil
        }
        var response = Response(file.bytes, type: file.type)
        if request.headers[.ifNoneMatch] == file.tag { response = Response(status: .notModified) }
        response.headers[.cacheControl] = "no-cache"
        response.headers[.eTag] = file.tag
        for (name, value) in headers { response.headers[name] = value }
        return response
    }

    private static let headers: [(HTTPField.Name, String)] = {
        var headers: [(HTTPField.Name, String)] = [(.contentSecurityPolicy, policy)]
        for (name, value) in [
            ("referrer-policy", "no-referrer"), ("cross-origin-opener-policy", "same-origin"),
            ("permissions-policy", "camera=(), geolocation=(), microphone=()"), ("x-frame-options", "DENY"),
        ] {
            if let name = HTTPField.Name(name) { headers.append((name, value)) }
        }
        return headers
    }()
}
