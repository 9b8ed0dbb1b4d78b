import PushPlatform

/// An HTTP proxy that opens a tunnel (CONNECT, RFC 9110 section 9.3.6) to the server. TLS is end-to-end: the proxy sees
/// only the name of the server.
///
/// The user and the password never appear in a description, a log, an error or a mirror.
public struct PushProxy: Sendable, Hashable {
    /// The name or address of the proxy.
    public let host: String
    /// The port of the proxy.
    public let port: Int
    /// The value after `Proxy-Authorization: Basic`.
    private let credentials: String?

    /// The port of a proxy without a given port, as in curl.
    public static let defaultPort = 1080

    /// Whether the proxy gets a user and a password.
    public var hasCredentials: Bool { credentials != nil }

    /// Makes a proxy from its parts.
    ///
    /// - Parameters:
    ///   - host: The name or address.
    ///   - port: The port.
    ///   - user: The user; `nil` for a proxy without authentication.
    ///   - password: The password of the user.
    /// - Throws: ``PushConfigurationError`` if a part cannot be used. The error contains no secrets.
    public init(
        host: String, port: Int = defaultPort, user: String? = nil, password: String = ""
    ) throws(PushConfigurationError) {
        let parts = ProxyURL(
            host: PushEnvironment.withoutBrackets(host), port: port,
            user: user.map { Array($0.utf8) }, password: Array(password.utf8))
        try self.init(parts, named: "proxy")
    }

    /// Makes a proxy from its URL, `http://user:password@host:port`, with `%XX` for characters that a URL cannot
    /// contain. `http://` is optional.
    ///
    /// - Parameter url: The URL.
    /// - Throws: ``PushConfigurationError`` if the URL is not valid, or if its scheme is not `http`. The error contains
    ///   no secrets.
    public init(url: String) throws(PushConfigurationError) {
        try self.init(url: url, named: "proxy")
    }

    /// Makes a proxy from its URL. Errors contain `name`, the option or variable that the URL comes from.
    package init(url: String, named name: String) throws(PushConfigurationError) {
        let parts: ProxyURL
        do throws(ProxyURL.Mistake) { parts = try ProxyURL(url) } catch { throw error.error(named: name) }
        try self.init(parts, named: name)
    }

    private init(_ parts: ProxyURL, named name: String) throws(PushConfigurationError) {
        do throws(ProxyURL.Mistake) { try parts.validate() } catch { throw error.error(named: name) }
        host = parts.host
        port = parts.port
        credentials = parts.user.map { Data($0 + [UInt8(ascii: ":")] + parts.password).base64EncodedString() }
    }

    /// The CONNECT request for a tunnel to a server.
    func request(to environment: PushEnvironment) -> [UInt8] {
        let target = environment.hostAndPort
        var lines = ["CONNECT \(target) HTTP/1.1", "Host: \(target)", "User-Agent: PushProvider"]
        if let credentials { lines.append("Proxy-Authorization: Basic \(credentials)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

extension PushProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Host and port, without secrets.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// The output of `dump`, without secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["host": host, "port": port, "hasCredentials": hasCredentials], displayStyle: .struct)
    }
}

extension PushProxy {
    /// The variables that can name a proxy, in the order in which they are read. The first one that is not empty is
    /// used, as with curl.
    package static let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    /// The variables that can list hosts to reach without a proxy.
    package static let exceptions = ["no_proxy", "NO_PROXY"]

    /// Returns the proxy that environment variables name for a server. It reads them like curl: `https_proxy`,
    /// `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`, unless `no_proxy` or `NO_PROXY` lists the server. The library reads no
    /// environment variable by itself:
    ///
    ///     configuration.proxy = try PushProxy.named(in: ProcessInfo.processInfo.environment, for: .production)
    ///
    /// - Parameters:
    ///   - variables: The variables with their values.
    ///   - environment: The server.
    /// - Returns: The proxy; `nil` if there is none for this server.
    /// - Throws: ``PushConfigurationError`` with the name of the variable if its value is not a valid proxy.
    public static func named(
        in variables: [String: String], for environment: PushEnvironment
    ) throws(PushConfigurationError) -> PushProxy? {
        guard let (name, url) = variable(in: variables, for: environment) else { return nil }
        return try PushProxy(url: url, named: name)
    }

    /// The variable that names the proxy for a server, and its value.
    package static func variable(
        in variables: [String: String], for environment: PushEnvironment
    ) -> (name: String, url: String)? {
        guard let chosen = first(of: Self.variables, in: variables) else { return nil }
        let exceptions = NoProxyList(first(of: exceptions, in: variables)?.url ?? "")
        return exceptions.contains(host: environment.host, port: environment.port) ? nil : chosen
    }

    /// The variable that names a proxy, without regard to `no_proxy`.
    package static func variableName(in variables: [String: String]) -> String? {
        first(of: Self.variables, in: variables)?.name
    }

    private static func first(
        of names: [String], in variables: [String: String]
    ) -> (name: String, url: String)? {
        names.lazy.compactMap { name in variables[name].map { (name, $0) } }.first { !$0.1.isEmpty }
    }
}
