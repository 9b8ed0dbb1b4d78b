/// The service that a client sends to. It is fixed for the life of a client.
public struct PushEnvironment: Sendable, Hashable, CustomStringConvertible {
    /// Whose certificates are accepted. Verification cannot be switched off.
    public enum Trust: Sendable, Hashable {
        /// What the system trusts.
        case system
        /// The authorities in a PEM text, and no others: how a mock is trusted.
        case authorities(pem: [UInt8])
    }

    /// The host name, or an address.
    public var host: String
    /// The port.
    public var port: Int
    /// Whose certificates are accepted.
    public var trust: Trust

    /// Any host that speaks Apple's protocol.
    ///
    /// - Parameters:
    ///   - host: Its name or address; the server's certificate must be for it.
    ///   - port: Its port.
    ///   - trust: Whose certificates are accepted.
    public init(host: String, port: Int = APNSHost.port, trust: Trust = .system) {
        // An IPv6 address may come as it stands in a URL.
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        self.trust = trust
    }

    /// Apps from TestFlight, ad hoc builds and the App Store.
    public static let production = PushEnvironment(host: APNSHost.production)
    /// Apps that Xcode has put on the device.
    public static let sandbox = PushEnvironment(host: APNSHost.sandbox)

    /// Which of Apple's services it is; `nil` for every other host, a mock for example.
    public var appleService: PushCertificate.Service? {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return APNSHost.sandboxNames.contains(name.lowercased())
            ? .sandbox : name.lowercased() == APNSHost.production ? .production : nil
    }

    /// Host and port.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    func validate() throws(PushConfigurationError) {
        guard (1...65_535).contains(port) else {
            throw PushConfigurationError(name: "port", description: "\(port) is no port: it must be 1 to 65535.")
        }
        guard !host.isEmpty else {
            throw PushConfigurationError(name: "host", description: "The environment has no host name.")
        }
    }

    /// The value of `:authority`; the port only where it is not the one of https (RFC 9113 section 8.3.1).
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == APNSHost.port ? name : "\(name):\(port)"
    }
}
