package struct APIConfiguration: Sendable, Hashable {
    package struct Endpoint: Sendable, Hashable {
        package var host: String
        /// The port; 0 for any free port.
        package var port: Int

        package init(host: String = "127.0.0.1", port: Int) {
            (self.host, self.port) = (host, port)
        }
    }

    package struct TLSFiles: Sendable, Hashable {
        package var certificate: String
        package var key: String

        package init(certificate: String, key: String) {
            (self.certificate, self.key) = (certificate, key)
        }
    }

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
    package var limits = ServiceLimits()

    package init() {}
}
