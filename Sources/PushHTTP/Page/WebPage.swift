internal import HTTPTypes
package import Hummingbird

package struct WebPage: Sendable {
    package let files: [String: PageFile]
    /// The description of the server's API for programs, in the form of OpenAPI 3.1. It isn't part of the page: it has a route.
    package let document: PageFile

    /// Creates a page of the files that the plugin has embedded.
    package init(_ list: [(path: StaticString, base64: StaticString)]) {
        var files: [String: PageFile] = [:]
        for (path, base64) in list {
            files["/\(path)"] = PageFile(path: "\(path)", base64: "\(base64)")
        }
        files["/"] = files.removeValue(forKey: "/index.html")
        document = files.removeValue(forKey: "/openapi.json") ?? PageFile(path: "openapi.json", base64: "")
        self.files = files
    }

    /// The page uses only its own scripts and styles, and connects only to its own server. It has no inline scripts or styles,
    /// and cannot be shown in a frame.
    ///
    /// `blob:` is for attachments, which a page can read with its access token.
    package static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// Whether a path is one of the page. Its files contain no secret, so they need no key: the page asks for it.
    package func exists(for path: String) -> Bool { files[path] != nil }

    /// The file at the path of a request; `nil` if there is none.
    package func answer(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head, let file = files[request.uri.path] else {
            return nil
        }
        var response = Response(
            status: .ok, headers: [.contentType: file.type],
            body: ResponseBody(byteBuffer: file.buffer))
        if request.headers[.ifNoneMatch] == file.tag { response = Response(status: .notModified) }
        response.headers[.cacheControl] = "no-cache"
        response.headers[.eTag] = file.tag
        for (name, value) in Self.headers { response.headers[name] = value }
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
