internal import HTTPTypes
package import Hummingbird
package import NIOCore
import PushPlatform

/// Refuses requests that could come from a web page of another origin, and those without the access token.
package struct RequestGate: Sendable {
    /// The names by which the server may be called, besides addresses and `localhost`; in lower case. `nil` for any.
    package let names: Set<String>?
    /// The token that every request needs, if there is one.
    package let accessToken: String?
    /// What the server is called in messages: `mock`.
    package let server: String
    /// The scheme of its URLs.
    package let scheme: String
    /// The origin of its page behind a proxy, such as `https://push.example.com`; `nil` if it has none.
    package let publicOrigin: String?
    /// How to make a name known.
    private let nameRemedy: @Sendable (String) -> String

    package init(
        names: Set<String>?, accessToken: String?, server: String, scheme: String = "http",
        publicOrigin: String? = nil, nameRemedy: (@Sendable (String) -> String)? = nil
    ) {
        (self.names, self.accessToken, self.server, self.scheme) = (names, accessToken, server, scheme)
        self.publicOrigin = publicOrigin
        self.nameRemedy =
            nameRemedy ?? { "Use localhost or an address, or start the \(server) with the name \($0)." }
    }

    /// Checks a request before its route.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isOpen: Whether the route needs no access token.
    ///   - isOfPage: Whether the path is a file of the page, to which other pages may have a link.
    /// - Throws: ``APIProblem``.
    package func check(_ request: Request, isOpen: Bool, isOfPage: Bool = false) throws(APIProblem) {
        try Self.checkForm(request)
        let host = request.head.authority ?? ""
        guard isAllowed(host: host) else {
            let (detail, remedy) =
                host.isEmpty
                ? ("The request has no Host.", "Send the header Host with the name or address in the URL.")
                : ("The Host \(host.debugDescription) isn't a name of this \(server).", nameRemedy(Self.hostName(host)))
            throw APIProblem(
                status: .misdirectedRequest, code: "unknown_host", detail: detail, field: "host", remedy: remedy)
        }
        if let origin = request.headers[.origin], !isSame(origin: origin, host: host) {
            throw crossOrigin
        }
        // Browsers send it with every request, also where they send no Origin: for pictures, scripts and frames.
        let site = Self.fetchSite.flatMap { request.headers[$0] }
        let mode = Self.fetchMode.flatMap { request.headers[$0] }
        if site == "cross-site" || site == "same-site", mode != "navigate" || !(isOfPage || request.method == .get) {
            throw crossOrigin
        }
        guard let accessToken, !isOpen else { return }
        guard let given = Self.bearer(of: request), ConstantTime.isEqual(given, accessToken) else {
            throw APIProblem(
                status: .unauthorized, code: "no_access", detail: "This \(server) needs an access token.",
                field: "authorization", remedy: "Send the header \"authorization: bearer TOKEN\".",
                headers: [HTTPField(name: .wwwAuthenticate, value: "Bearer")])
        }
    }

    /// Checks that a write has a content type that no page of another origin can send without asking.
    ///
    /// `isOfProgram` says that the request has an access token in a header, which no page sends by itself. Without a body, it
    /// needs no content type.
    package func checkWrite(
        _ request: Request, hasBody: Bool, accepts: BodyForm = .json, isOfProgram: @autoclosure () -> Bool = false
    ) throws(APIProblem) {
        if request.headers[.contentType] == "application/json" { return }
        let type = request.contentType
        if type == "application/json" || type == "application/x-ndjson" { return }
        if accepts == .yaml, type == "application/yaml" { return }
        if accepts == .lines, type == "text/csv" { return }
        if type == nil, !hasBody, isOfProgram() || request.method == .delete { return }
        throw APIProblem(
            status: .unsupportedMediaType, code: "content_type",
            detail: "A request that changes something needs the header content-type: application/json"
                + (accepts == .lines ? ", or application/x-ndjson or text/csv if the body has lines." : "."),
            field: "content-type",
            remedy: "With curl: -H 'content-type: application/\(accepts == .lines ? "x-ndjson" : "json")'"
                + (accepts == .lines ? "." : ", or --json."))
    }

    // Creating a name validates it, so each is created once.
    private static let host = HTTPField.Name("host")
    private static let fetchSite = HTTPField.Name("sec-fetch-site")
    private static let fetchMode = HTTPField.Name("sec-fetch-mode")

    /// Refuses requests whose host or body another program on the way could understand in another way.
    private static func checkForm(_ request: Request) throws(APIProblem) {
        // The first field is the authority of the request. An absolute address with another host comes as a second one.
        if Self.host.map({ request.headers.contains($0) }) == true {
            throw .invalid(
                "The request names two hosts.", code: "several_hosts", field: "host",
                remedy: "Send one Host field, and use the same host in the address.")
        }
        let codings = request.headers[values: .transferEncoding]
        guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" else {
            throw .invalid(
                "The only transfer encoding of this service is chunked.", code: "transfer_encoding",
                field: "transfer-encoding", remedy: "Send the body as it is, with its length or in chunks.")
        }
        let content = request.headers[values: .contentEncoding].joined(separator: ",").lowercased()
        guard content.isEmpty || content == "identity" else {
            throw APIProblem(
                status: .unsupportedMediaType, code: "content_encoding",
                detail: "A compressed body isn't read.", field: "content-encoding",
                remedy: "Send the body without Content-Encoding.",
                headers: [HTTPField(name: .acceptEncoding, value: "identity")])
        }
    }

    private func isAllowed(host: String) -> Bool {
        guard let names else { return !host.isEmpty }
        let name = Self.hostName(host)
        if name.hasPrefix("[") {
            let rest = host.dropFirst(name.count)
            return Self.isAddress(name) && (rest.isEmpty || rest.first == ":" && UInt16(rest.dropFirst()) != nil)
        }
        return name == "localhost" || name.hasSuffix(".localhost") || names.contains(name) || Self.isAddress(name)
    }

    private func isSame(origin: String, host: String) -> Bool {
        origin.lowercased() == "\(scheme)://\(host.lowercased())" || origin.lowercased() == publicOrigin
    }

    private var crossOrigin: APIProblem {
        APIProblem(
            status: .forbidden, code: "cross_origin", detail: "Requests from pages of other origins are refused.",
            field: "origin", remedy: "Send the request from a program, or from the \(server)'s own page.")
    }

    /// The name in a Host header, without its port, in lower case.
    package static func hostName(_ host: String) -> String {
        let lower = host.lowercased()
        if lower.hasPrefix("["), let end = lower.firstIndex(of: "]") { return String(lower[...end]) }
        return String(Substring(lower.utf8.prefix { $0 != UInt8(ascii: ":") }))
    }

    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("[") {
            guard name.hasSuffix("]") else { return false }
            let address = try? SocketAddress(ipAddress: String(name.dropFirst().dropLast()), port: 0)
            return address?.protocol == .inet6
        }
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8(Substring($0)) != nil && $0.allSatisfy { $0.isASCIIDigit } }
    }

    /// The token in `authorization: bearer`; `nil` if there is none.
    package static func bearer(of request: Request) -> String? {
        guard let value = request.headers[.authorization] else { return nil }
        let parts = value.utf8.split(separator: UInt8(ascii: " "))
        return parts.count == 2 && Substring(parts[0]).lowercased() == "bearer" ? String(Substring(parts[1])) : nil
    }
}

extension Request {
    /// The content type in lower case, without its parameters.
    package var contentType: String? {
        headers[.contentType]?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
    }
}

/// Comparisons whose duration does not depend on where two texts differ.
package enum ConstantTime {
    /// Whether two texts are equal. The time depends only on the lengths.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        isEqual(Array(left.utf8), Array(right.utf8))
    }

    /// Whether bytes are equal. The time depends only on the lengths.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The context of a request, with the channel of its connection.
package struct ChannelContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
