package import PushWire

extension MockFault {
    /// Changes to the TLS handshake of a connection. The defaults change nothing.
    public struct TLS: Sendable, Hashable {
        package enum Certificate: String, Sendable, Hashable, CaseIterable {
            case usual
            /// From the same CA, expired one day ago.
            case expired
            /// From the same CA, valid only in ten years.
            case notYetValid = "not_yet_valid"
            /// From the same CA, for another host: `elsewhere.invalid`.
            case otherHost = "other_host"
            case unknownAuthority = "unknown_authority"
            case selfSigned = "self_signed"
        }

        /// The protocol that the mock selects by ALPN (RFC 7301).
        package typealias Agreed = TLSContext.Agreed
        package typealias ClientCertificate = TLSContext.ClientCertificate

        package var certificate: Certificate
        /// The protocol that the mock selects by ALPN.
        package var agreed: Agreed
        package var clientCertificate: ClientCertificate

        /// Creates changes to the TLS handshake.
        ///
        /// - Parameters:
        ///   - certificate: The server certificate.
        ///   - agreed: The protocol that the mock selects by ALPN.
        ///   - clientCertificate: How client certificates are handled.
        package init(
            certificate: Certificate = .usual, agreed: Agreed = .http2, clientCertificate: ClientCertificate = .asked
        ) {
            self.certificate = certificate
            self.agreed = agreed
            self.clientCertificate = clientCertificate
        }

        /// A server certificate from the same CA, expired one day ago.
        public static let expiredCertificate = TLS(certificate: .expired)
        /// A server certificate from the same CA, valid only in ten years.
        public static let certificateOfTheFuture = TLS(certificate: .notYetValid)
        /// A server certificate from the same CA, for another host: `elsewhere.invalid`.
        public static let certificateForOtherHost = TLS(certificate: .otherHost)
        /// A server certificate from an unknown CA.
        public static let untrustedCertificate = TLS(certificate: .unknownAuthority)
        /// A self-signed server certificate.
        public static let selfSignedCertificate = TLS(certificate: .selfSigned)
        /// HTTP/1.1 by ALPN (RFC 7301). A client that does not offer it gets the alert `no_application_protocol`.
        public static let http1Only = TLS(agreed: .http1)
        /// No protocol, like a server without ALPN. A client that uses HTTP/2 without ALPN is served.
        public static let withoutALPN = TLS(agreed: .nothing)
        /// Client certificates are required. Without one, the handshake fails with the alert `certificate_required`.
        public static let clientCertificateRequired = TLS(clientCertificate: .required)
        /// Each client certificate is refused with the alert `certificate_expired`.
        public static let clientCertificateExpired = TLS(clientCertificate: .expired)
        /// Each client certificate is refused with the alert `certificate_revoked`.
        public static let clientCertificateRevoked = TLS(clientCertificate: .revoked)
        /// Each client certificate is refused with the alert `unknown_ca`.
        public static let clientCertificateUntrusted = TLS(clientCertificate: .unknownAuthority)
    }
}

extension MockFault.TLS: Codable, FaultObject {
    static let what = "\"tls\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] {
        [
            .init("certificate", \.certificate, default: .usual), .init("alpn", \.agreed, default: .http2),
            .init("client_certificate", \.clientCertificate, default: .asked),
        ]
    }
}

extension MockFault.TLS.Certificate: Codable {}
