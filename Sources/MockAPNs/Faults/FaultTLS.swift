/// What is different about the TLS of a connection. What is at its default is as usual.
public struct FaultTLS: Sendable, Hashable {
    /// The certificate that the mock shows.
    public enum Certificate: String, Sendable, Hashable, CaseIterable {
        /// Its own.
        case usual
        /// One of the same authority that has expired a day ago.
        case expired
        /// One of the same authority that is valid in ten years.
        case notYetValid = "not_yet_valid"
        /// One of the same authority for another host, `elsewhere.invalid`.
        case otherHost = "other_host"
        /// One of an authority that nobody knows.
        case unknownAuthority = "unknown_authority"
        /// One that has signed itself.
        case selfSigned = "self_signed"
    }

    /// What the mock agrees on by ALPN (RFC 7301).
    public enum Agreed: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2, as usual.
        case http2 = "h2"
        /// HTTP/1.1, and nothing else: a client that does not offer it gets the alert `no_application_protocol`, and one that
        /// offers nothing is hung up on after the handshake, as the others are.
        case http1 = "http/1.1"
        /// Nothing, as by a server that does not know ALPN. A client that speaks HTTP/2 all the same is served.
        case nothing
    }

    /// What becomes of the client's own certificate.
    public enum ClientCertificate: String, Sendable, Hashable, CaseIterable {
        /// It is asked for, and not required, as usual.
        case asked
        /// Without one the handshake ends, with the alert `certificate_required`.
        case required
        /// Any one ends it, with `certificate_expired`.
        case expired
        /// Any one ends it, with `certificate_revoked`.
        case revoked
        /// Any one ends it, with `unknown_ca`.
        case unknownAuthority = "unknown_authority"
    }

    /// The certificate that the mock shows.
    public var certificate: Certificate
    /// What the mock agrees on by ALPN.
    public var agreed: Agreed
    /// What becomes of the client's own certificate.
    public var clientCertificate: ClientCertificate

    /// Takes what is different.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that the mock shows.
    ///   - agreed: What the mock agrees on by ALPN.
    ///   - clientCertificate: What becomes of the client's own certificate.
    public init(
        certificate: Certificate = .usual, agreed: Agreed = .http2, clientCertificate: ClientCertificate = .asked
    ) {
        self.certificate = certificate
        self.agreed = agreed
        self.clientCertificate = clientCertificate
    }
}
