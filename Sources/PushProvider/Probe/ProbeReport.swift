package import PushWire

/// The results of a probe of the path to a server, hop by hop. A plain value.
package struct ProbeReport: Sendable, Equatable {
    /// The lookup of the server's name, or of the proxy's.
    package var names: ProbedNames
    /// The ways to the port of the environment: one, or one for each address. Empty if the name has no address.
    package var paths: [ProbedPath] = []
    /// The ways to the other port of Apple's hosts, on which only TCP is tried. Empty for other hosts.
    package var otherPorts: [ProbedPath] = []
}

package struct ProbedNames: Sendable, Equatable {
    /// The name that was looked up, or an address as text.
    package var host: String
    /// The addresses, in the order of the resolver.
    package var addresses: [NetworkAddress] = []
    package var time: Duration = .zero
    /// Why there are no addresses.
    package var failure: ProbeFailure?
}

/// The hops that one connection reached. A hop that was not reached is `nil`.
package struct ProbedPath: Sendable, Equatable {
    package var port: Int
    /// The address of the server, or of the proxy; `nil` if none was reached.
    package var address: NetworkAddress?
    package var tcp: Duration?
    /// The time until the proxy opened its tunnel; `nil` without a proxy.
    package var proxy: Duration?
    /// The TLS handshake; also one that failed after the server sent its certificate.
    package var tls: ProbedTLS?
    package var settings: HTTP2Settings?
    /// The time from the TLS handshake until they arrived.
    package var settingsTime: Duration?
    package var ping: Duration?
    /// The answers to the requests of the probe, in their order.
    package var answers: [ProbedAnswer] = []
    package var goAway: ProbedGoAway?
    /// Why it did not reach the next hop.
    package var failure: ProbeFailure?
}

package struct ProbedTLS: Sendable, Equatable {
    package var time: Duration = .zero
    /// Whether the server's certificate was verified and the handshake is complete.
    package var isVerified: Bool
    /// The version, for example `TLSv1.3`.
    package var version: String
    package var cipher: String?
    package var selectedProtocol: String?
    /// The chain, the server's certificate first. If it was verified, the last one is the trusted root.
    package var chain: [ChainCertificate]
}

package struct ProbedGoAway: Sendable, Equatable {
    /// Its code and its reason or text, safe to show.
    package var description: String
    package var reason: RejectionReason?
}

/// The libraries and the trust store that this process uses.
package struct ProbedLibraries: Sendable, Equatable {
    /// For example `OpenSSL 3.0.17`.
    package var openSSL: String
    /// For example `1.52.0`.
    package var nghttp2: String
    /// Whether OpenSSL's legacy provider can be loaded. Old `.p12` files need it.
    package var hasLegacyProvider: Bool

    /// The libraries of this process.
    package static var here: ProbedLibraries {
        ProbedLibraries(
            openSSL: OpenSSLLibrary.version, nghttp2: HTTP2Session.libraryVersion,
            hasLegacyProvider: OpenSSLLibrary.hasLegacyProvider)
    }
}
