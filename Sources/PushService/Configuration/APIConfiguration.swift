/// The configuration of the API: where it listens, and what it accepts.
package struct APIConfiguration: Sendable, Hashable {
    /// Where to listen.
    package struct Endpoint: Sendable, Hashable {
        /// The host name or address.
        package var host: String
        /// The port; 0 for any free port.
        package var port: Int

        /// Creates an endpoint.
        package init(host: String = "127.0.0.1", port: Int) {
            (self.host, self.port) = (host, port)
        }
    }

    package struct TLSFiles: Sendable, Hashable {
        /// The path of the certificate with its chain, in PEM.
        package var certificate: String
        /// The path of the private key, in PEM.
        package var key: String

        /// Creates the paths.
        package init(certificate: String, key: String) {
            (self.certificate, self.key) = (certificate, key)
        }
    }

    /// Where the API listens.
    package var listen = Endpoint(port: 8080)
    /// The files for TLS; `nil` to serve HTTP, for a proxy or for this machine only.
    package var tls: TLSFiles?
    /// Where `/metrics` listens; `nil` for nowhere.
    package var metrics: Endpoint?
    /// The address of the service for its users, if they connect to a proxy; `nil` without a proxy. Without it, a service on a
    /// loopback address accepts only `localhost` and addresses as the host, and its page only its own address.
    package var publicURL: PublicURL?
    /// The version that `/v1/status` shows.
    package var version = ""
    /// Whether payloads are shown to keys with the scope `read`. They may be personal.
    package var showsPayloads = true
    /// What protects the service from its clients.
    package var limits = ServiceLimits()

    /// Creates the usual configuration.
    package init() {}
}
