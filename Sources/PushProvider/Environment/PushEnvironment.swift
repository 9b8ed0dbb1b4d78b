internal import PushPlatform

/// The service that a client sends to. It is fixed for the life of a client.
public struct PushEnvironment: Sendable, Hashable, CustomStringConvertible {
    /// The authorities whose server certificates the client accepts. Verification cannot be switched off.
    public enum Trust: Sendable, Hashable {
        /// The authorities that the system trusts. One of them has signed the certificates of Apple's servers.
        case apple
        /// Only the authorities in a PEM text, for example the authority of a mock.
        case authorities(pem: [UInt8])
    }

    package enum AppleService: String, Sendable, Hashable, CaseIterable {
        case sandbox
        /// For apps from TestFlight, ad hoc builds and the App Store.
        case production
    }

    /// The host name or IP address.
    public var host: String
    /// The port.
    public var port: Int
    /// The authorities whose server certificates the client accepts.
    public var trust: Trust
    /// Whether the server must negotiate HTTP/2 in the TLS handshake (ALPN, RFC 7301); `true` by default.
    ///
    /// Set it to `false` for a test server without ALPN, such as pushy's `MockApnsServer`: the client then uses HTTP/2
    /// without negotiation. For Apple's hosts, `false` is an error.
    public var requiresALPN: Bool

    /// Creates an environment for any host that uses Apple's protocol.
    ///
    /// - Parameters:
    ///   - host: The host name or IP address. The server's certificate must be valid for it.
    ///   - port: The port.
    ///   - trust: The authorities whose server certificates the client accepts.
    ///   - requiresALPN: Whether the server must negotiate HTTP/2 in the TLS handshake.
    public init(host: String, port: Int = APNSHost.port, trust: Trust = .apple, requiresALPN: Bool = true) {
        self.host = Self.withoutBrackets(host)
        self.port = port
        self.trust = trust
        self.requiresALPN = requiresALPN
    }

    /// For apps from TestFlight, ad hoc builds and the App Store.
    public static let production = PushEnvironment(host: APNSHost.production)
    /// For apps that Xcode has installed.
    public static let sandbox = PushEnvironment(host: APNSHost.sandbox)

    /// The production service on another port, for networks that block port 443: `.production(port:
    /// APNSHost.alternatePort)`.
    public static func production(port: Int) -> PushEnvironment {
        PushEnvironment(host: APNSHost.production, port: port)
    }
    /// The sandbox on another port.
    public static func sandbox(port: Int) -> PushEnvironment { PushEnvironment(host: APNSHost.sandbox, port: port) }

    /// The service that manages the broadcast channels of ``production``, see ``PushChannels``.
    public static let productionChannels = PushEnvironment(
        host: APNSHost.productionChannels, port: APNSHost.productionChannelsPort)
    /// The service that manages the broadcast channels of ``sandbox``, see ``PushChannels``.
    public static let sandboxChannels = PushEnvironment(
        host: APNSHost.sandboxChannels, port: APNSHost.sandboxChannelsPort)

    /// Apple's service at this host; `nil` for every other host, for example a mock.
    package var appleService: AppleService? {
        let name = comparedName
        if APNSHost.sandboxNames.contains(name) || name == APNSHost.sandboxChannels { return .sandbox }
        return name == APNSHost.production || name == APNSHost.productionChannels ? .production : nil
    }

    /// Whether it is one of Apple's hosts that manage broadcast channels.
    var managesChannels: Bool {
        [APNSHost.productionChannels, APNSHost.sandboxChannels].contains(comparedName)
    }

    /// Whether the host is one of Apple's hosts for push: `push.apple.com` or a subdomain, also if ``appleService`` is
    /// `nil`.
    package var isApples: Bool {
        let name = comparedName
        return name == APNSHost.domain || name.hasSuffix(".\(APNSHost.domain)")
    }

    /// The host name as DNS compares names: in lower case, without dots at the end.
    private var comparedName: String {
        var name = host.lowercased()[...]
        while name.hasSuffix(".") { name.removeLast() }
        return String(name)
    }

    /// The name of the clock that checks provider tokens: one name for all hosts and ports of an Apple service, and one
    /// for each other host and port.
    var clockName: String { appleService.map { "\($0)" } ?? description.lowercased() }

    /// The host and the port.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package func validate() throws(PushConfigurationError) {
        guard (1...65_535).contains(port) else {
            throw PushConfigurationError(name: "port", description: "\(port) isn't a valid port: use 1 to 65535.")
        }
        guard requiresALPN || !isApples else {
            throw PushConfigurationError(
                name: "requiresALPN",
                description: "\(host) always has ALPN: only a test server may lack it.")
        }
        guard !host.isEmpty else {
            throw PushConfigurationError(name: "host", description: "The environment has no host name.")
        }
        guard Self.isHost(host) else {
            throw PushConfigurationError(
                name: "host",
                description: "\"\(PeerText.printable(host))\" isn't a host: give only a name or an address."
            )
        }
    }

    /// Removes the brackets that an IPv6 address has in a URL.
    static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether a text can be a host in an HTTP request: it has no spaces, control characters or delimiters, and a colon only as an
    /// IPv6 address.
    package static func isHost(_ text: String) -> Bool {
        let others = "()<>@,;\\\"/[]?={}#^`|".unicodeScalars
        return !text.isEmpty && (!text.contains(":") || HostAndPort.isIPv6(text[...]))
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && !(0x7F..<0xA0).contains($0.value) && !others.contains($0)
            }
    }

    /// The name or address without the zone of an IPv6 address. The zone follows a percent sign, and has a meaning only
    /// on this machine (RFC 4007 section 11).
    var serverName: String {
        guard host.contains(":"), let zone = host.firstIndex(of: "%") else { return host }
        return String(host[..<zone])
    }

    private var bracketed: String { host.contains(":") ? "[\(serverName)]" : host }

    /// The target in a CONNECT request to a proxy.
    var hostAndPort: String { "\(bracketed):\(port)" }

    /// The value of `:authority`. It has the port only if this is not the default port of https (RFC 9113 section
    /// 8.3.1).
    var authority: String { port == APNSHost.port ? bracketed : hostAndPort }
}

/// Why a value cannot be used: one of a configuration or an environment, a proxy, or the id of a channel.
public struct PushConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the value.
    public let name: String
    /// What the value must be, in a sentence.
    public let description: String
}
