import PushProvider

/// The server that a probe went to, as far as the results depend on it.
struct ProbedServer: Equatable, Sendable {
    var host: String
    var port: Int
    /// Whether it is a host of Apple.
    var isApple: Bool
    /// The file of the trusted authorities, instead of those of the system.
    var authoritiesFile: String?
    /// The proxy, as host and port.
    var proxy: String?
    /// Whether HTTP/2 must be negotiated.
    var requiresALPN = true
    /// Whether the trust store of the system has the root of Apple's servers.
    var trustsApplesRoot = true
}

extension ProbedServer {
    init(_ target: Target, _ store: ProbedTrustStore) {
        self.init(
            host: target.environment.host, port: target.environment.port,
            isApple: target.environment.appleService != nil, authoritiesFile: target.authoritiesFile,
            proxy: target.proxy.proxy.map { "\($0)" }, requiresALPN: target.environment.requiresALPN,
            trustsApplesRoot: store.holdsApplesRoot)
    }

    /// The port of Apple that is not tried first.
    var otherPort: Int { port == APNSHost.port ? APNSHost.alternatePort : APNSHost.port }
}
