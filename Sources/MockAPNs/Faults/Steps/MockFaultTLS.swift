/// Changes to the TLS handshake of a connection. The defaults change nothing.
public struct MockFaultTLS: Sendable, Hashable {
    /// The server certificate.
    public enum Certificate: String, Sendable, Hashable, CaseIterable {
        /// The usual certificate.
        case usual
        /// From the same CA, expired one day ago.
        case expired
        /// From the same CA, valid only in ten years.
        case notYetValid = "not_yet_valid"
        /// From the same CA, for another host: `elsewhere.invalid`.
        case otherHost = "other_host"
        /// From an unknown CA.
        case unknownAuthority = "unknown_authority"
        /// Self-signed.
        case selfSigned = "self_signed"
    }

    /// The protocol that the mock selects by ALPN (RFC 7301).
    public enum Agreed: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2, as usual.
        case http2 = "h2"
        /// HTTP/1.1 only. A client that does not offer it gets the alert `no_application_protocol`. All other clients,
        /// also those without ALPN, are disconnected after the handshake.
        case http1 = "http/1.1"
        /// None, like a server without ALPN. A client that uses HTTP/2 without ALPN is served.
        case nothing
    }

    /// How client certificates are handled.
    public enum ClientCertificate: String, Sendable, Hashable, CaseIterable {
        /// Requested but not required, as usual.
        case asked
        /// Required. Without one, the handshake fails with the alert `certificate_required`.
        case required
        /// Each certificate is refused with the alert `certificate_expired`.
        case expired
        /// Each certificate is refused with the alert `certificate_revoked`.
        case revoked
        /// Each certificate is refused with the alert `unknown_ca`.
        case unknownAuthority = "unknown_authority"
    }

    /// The server certificate.
    public var certificate: Certificate
    /// The protocol that the mock selects by ALPN.
    public var agreed: Agreed
    /// How client certificates are handled.
    public var clientCertificate: ClientCertificate

    /// Creates changes to the TLS handshake.
    ///
    /// - Parameters:
    ///   - certificate: The server certificate.
    ///   - agreed: The protocol that the mock selects by ALPN.
    ///   - clientCertificate: How client certificates are handled.
    public init(
        certificate: Certificate = .usual, agreed: Agreed = .http2, clientCertificate: ClientCertificate = .asked
    ) {
        self.certificate = certificate
        self.agreed = agreed
        self.clientCertificate = clientCertificate
    }
}
