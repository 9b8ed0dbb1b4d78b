/// The service that a client sends to. It is fixed for the life of a client.
public struct PushEnvironment: Sendable, Hashable, CustomStringConvertible {
    /// Whose certificates are accepted. Verification cannot be switched off.
    public enum Trust: Sendable, Hashable {
        /// What the system trusts.
        case system
        /// The authorities in a PEM text, and no others: how a mock is trusted.
        case authorities(pem: [UInt8])
    }

    /// One of Apple's two services.
    public enum AppleService: String, Sendable, Hashable, CaseIterable {
        /// Apps that Xcode has put on the device.
        case sandbox
        /// Apps from TestFlight, ad hoc builds and the App Store.
        case production
    }

    /// The host name, or an address.
    public var host: String
    /// The port.
    public var port: Int
    /// Whose certificates are accepted.
    public var trust: Trust
    /// Whether the server has to agree on HTTP/2 in the TLS handshake (ALPN, RFC 7301); `true` by default.
    ///
    /// Set it to `false` for a test server that does not, such as pushy's `MockApnsServer`: the client then speaks HTTP/2 to it
    /// without agreement. A client for Apple's hosts is not made with `false`.
    public var requiresALPN: Bool

    /// Any host that speaks Apple's protocol.
    ///
    /// - Parameters:
    ///   - host: Its name or address; the server's certificate must be for it.
    ///   - port: Its port.
    ///   - trust: Whose certificates are accepted.
    ///   - requiresALPN: Whether the server has to agree on HTTP/2 in the TLS handshake.
    public init(host: String, port: Int = APNSHost.port, trust: Trust = .system, requiresALPN: Bool = true) {
        self.host = Self.withoutBrackets(host)
        self.port = port
        self.trust = trust
        self.requiresALPN = requiresALPN
    }

    /// Apps from TestFlight, ad hoc builds and the App Store.
    public static let production = PushEnvironment(host: APNSHost.production)
    /// Apps that Xcode has put on the device.
    public static let sandbox = PushEnvironment(host: APNSHost.sandbox)

    /// The production service on its other port, for networks that close 443: `.production(port: APNSHost.alternatePort)`.
    public static func production(port: Int) -> PushEnvironment {
        PushEnvironment(host: APNSHost.production, port: port)
    }
    /// The sandbox on its other port.
    public static func sandbox(port: Int) -> PushEnvironment { PushEnvironment(host: APNSHost.sandbox, port: port) }

    /// Which of Apple's services it is; `nil` for every other host, a mock for example.
    public var appleService: AppleService? {
        let name = comparedName
        return APNSHost.sandboxNames.contains(name) ? .sandbox : name == APNSHost.production ? .production : nil
    }

    /// Whether it is one of Apple's hosts for push, those without a ``appleService`` too: `push.apple.com` and all below it.
    var isApples: Bool {
        let name = comparedName
        return name == APNSHost.domain || name.hasSuffix(".\(APNSHost.domain)")
    }

    /// The host as names of DNS are compared: in lower case, without the dots at its end.
    private var comparedName: String {
        var name = host.lowercased()[...]
        while name.hasSuffix(".") { name.removeLast() }
        return String(name)
    }

    /// Whose clock judges provider tokens: one name for all hosts and ports of an Apple service, and one for each other place.
    var clockName: String { appleService.map { "\($0)" } ?? description.lowercased() }

    /// Host and port.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package func validate() throws(PushConfigurationError) {
        guard (1...65_535).contains(port) else {
            throw PushConfigurationError(name: "port", description: "\(port) is no port: it must be 1 to 65535.")
        }
        guard requiresALPN || !isApples else {
            throw PushConfigurationError(
                name: "requiresALPN",
                description: "\(host) is Apple's and agrees on HTTP/2 by ALPN: without ALPN is for test servers only.")
        }
        guard !host.isEmpty else {
            throw PushConfigurationError(name: "host", description: "The environment has no host name.")
        }
        guard Self.isHost(host) else {
            throw PushConfigurationError(
                name: "host",
                description: "\"\(PeerText.printable(host))\" is no host: write a name or an address, and nothing else."
            )
        }
    }

    /// Without the brackets that an IPv6 address has in a URL.
    static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// It can stand in a line of HTTP, and is one word.
    static func isHost(_ text: String) -> Bool {
        let others = "()<>@,;\\\"/[]?={}#^`|".unicodeScalars
        return !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && !(0x7F..<0xA0).contains($0.value) && !others.contains($0)
            }
    }

    /// The name or address as others know it: what stands behind a percent sign in an address says something to this
    /// machine only (RFC 4007 section 11).
    var serverName: String {
        guard host.contains(":"), let zone = host.firstIndex(of: "%") else { return host }
        return String(host[..<zone])
    }

    private var bracketed: String { host.contains(":") ? "[\(serverName)]" : host }

    /// What a proxy is asked to connect to.
    var hostAndPort: String { "\(bracketed):\(port)" }

    /// The value of `:authority`; the port only where it is not the one of https (RFC 9113 section 8.3.1).
    var authority: String { port == APNSHost.port ? bracketed : hostAndPort }
}
