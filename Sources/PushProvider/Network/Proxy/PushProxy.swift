/// An HTTP proxy that opens a tunnel (CONNECT, RFC 9110 section 9.3.6) to the server. TLS goes through it from end to end: the
/// proxy sees the server's name and nothing else.
///
/// User and password are held, and shown nowhere: not in a description, a log, an error or a mirror.
public struct PushProxy: Sendable, Hashable {
    /// Its name or address.
    public let host: String
    /// Its port.
    public let port: Int
    /// What follows `Proxy-Authorization: Basic`.
    private let credentials: String?

    /// The port of a proxy that is named without one, as curl has it.
    public static let usualPort = 1080

    /// It is told a user and a password.
    public var hasCredentials: Bool { credentials != nil }

    /// A proxy by its parts.
    ///
    /// - Parameters:
    ///   - host: Its name or address.
    ///   - port: Its port.
    ///   - user: Who is to be let through; `nil` where nobody asks.
    ///   - password: The user's password.
    /// - Throws: ``PushConfigurationError`` when one of them cannot be used; what is secret is not repeated in it.
    public init(
        host: String, port: Int = usualPort, user: String? = nil, password: String = ""
    ) throws(PushConfigurationError) {
        let parts = ProxyURL(
            host: PushEnvironment.withoutBrackets(host), port: port,
            user: user.map { Array($0.utf8) }, password: Array(password.utf8))
        try self.init(parts, named: "proxy")
    }

    /// A proxy by its URL, `http://user:password@host:port`, with `%XX` for what a URL cannot hold. `http://` may be missing.
    ///
    /// - Parameter url: The URL.
    /// - Throws: ``PushConfigurationError`` when it is none, or when its scheme is not `http`; what is secret is not repeated in
    ///   it.
    public init(url: String) throws(PushConfigurationError) {
        try self.init(url: url, named: "proxy")
    }

    /// The same, called in errors by the name of the option or variable that it came from.
    package init(url: String, named name: String) throws(PushConfigurationError) {
        let parts: ProxyURL
        do throws(ProxyURL.Problem) { parts = try ProxyURL(url) } catch { throw error.error(named: name) }
        try self.init(parts, named: name)
    }

    private init(_ parts: ProxyURL, named name: String) throws(PushConfigurationError) {
        do throws(ProxyURL.Problem) { try parts.validate() } catch { throw error.error(named: name) }
        host = parts.host
        port = parts.port
        credentials = parts.user.map { Base64.encoded($0 + [UInt8(ascii: ":")] + parts.password) }
    }

    /// What asks for a tunnel to a server.
    func request(to environment: PushEnvironment) -> [UInt8] {
        let target = environment.hostAndPort
        var lines = ["CONNECT \(target) HTTP/1.1", "Host: \(target)", "User-Agent: PushProvider"]
        if let credentials { lines.append("Proxy-Authorization: Basic \(credentials)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

extension PushProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Host and port, and nothing secret.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    /// The same.
    public var debugDescription: String { description }
    /// What `dump` shows: nothing secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["host": host, "port": port, "hasCredentials": hasCredentials], displayStyle: .struct)
    }
}
