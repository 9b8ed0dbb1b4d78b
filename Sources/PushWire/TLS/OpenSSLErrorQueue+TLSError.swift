internal import CSSL

extension [OpenSSLErrorQueue.Entry] {
    /// Converts OpenSSL's error queue to a TLS error. Only this function does it.
    ///
    /// - Parameters:
    ///   - operation: What has failed.
    ///   - hasCertificate: Whether this side has a certificate that it could send.
    /// - Returns: The error.
    func tlsError(_ operation: String, hasCertificate: Bool = true) -> TLSError {
        guard let first else { return TLSError(.failed, operation) }
        let alertBase = Int32(SSL_AD_REASON_OFFSET)
        let message = map(\.reason).joined(separator: "; ")
        guard first.library == ERR_LIB_SSL else { return TLSError(.failed, "\(operation) (\(message))") }
        switch first.code {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG,
            SSL_R_RECORD_LENGTH_MISMATCH:
            return TLSError(.notTLS, "the other side doesn't speak TLS (\(message))")
        case alertBase + SSL_AD_NO_APPLICATION_PROTOCOL, SSL_R_NO_APPLICATION_PROTOCOL:
            return TLSError(.noHTTP2, "the other side doesn't speak HTTP/2 (no ALPN \"h2\")")
        case alertBase...(alertBase + 255):
            return Self.error(ofAlert: first.code - alertBase, message, hasCertificate)
        default:
            return TLSError(.failed, "\(operation) (\(message))")
        }
    }

    /// Returns the error for an alert. An alert about a certificate is about the certificate of this side (RFC 8446
    /// section 6.2).
    private static func error(ofAlert alert: Int32, _ message: String, _ hasCertificate: Bool) -> TLSError {
        if alert == SSL_AD_CERTIFICATE_REQUIRED || alert == SSL_AD_NO_CERTIFICATE {
            return TLSError(
                .ownCertificateRefused, "the other side requires a certificate, and none was sent (\(message))")
        }
        let what =
            switch alert {
            case SSL_AD_CERTIFICATE_EXPIRED: "because it has expired"
            case SSL_AD_CERTIFICATE_REVOKED: "because it was revoked"
            case SSL_AD_UNKNOWN_CA: "because it doesn't trust its issuer"
            case SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_UNKNOWN:
                "as not acceptable"
            default: ""
            }
        // The data was damaged in transit, or the other side has an internal error: another connection may succeed.
        if [SSL_AD_BAD_RECORD_MAC, SSL_AD_RECORD_OVERFLOW, SSL_AD_INTERNAL_ERROR].contains(alert) {
            return TLSError(.alertReceived, "the other side ended the TLS connection (\(message))", isPassing: true)
        }
        if what.isEmpty {
            return TLSError(.alertReceived, "the other side ended the TLS connection (\(message))")
        }
        guard hasCertificate else {
            return TLSError(
                .ownCertificateRefused,
                "the other side refused the connection because of a certificate, but none was sent (\(message))")
        }
        let isExpired = alert == SSL_AD_CERTIFICATE_EXPIRED
        return TLSError(
            isExpired ? .ownCertificateExpired : .ownCertificateRefused,
            "the other side refused the certificate sent to it, \(what) (\(message))")
    }
}

/// Why a TLS connection could not be opened, or ended.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// Certificates or a key cannot be used.
        case unusableMaterial
        /// OpenSSL does not accept the certificate of this side.
        case unusableIdentity
        /// The issuer of the peer's certificate is not trusted.
        case untrustedAuthority
        /// The peer's certificate has expired or is not valid yet.
        case certificateNotInForce
        /// The peer's certificate is for another host name.
        case wrongHostName
        /// The peer's certificate was refused for another reason.
        case certificateRefused
        /// The peer refused the certificate of this side because it has expired.
        case ownCertificateExpired
        /// The peer refused the certificate of this side for another reason.
        case ownCertificateRefused
        /// The peer does not speak HTTP/2.
        case noHTTP2
        case notTLS
        /// The peer ended the connection with an alert.
        case alertReceived
        case failed
    }

    package var code: Code
    /// What happened, as a sentence without a full stop. It may have OpenSSL's message in brackets.
    package var detail: String
    /// Whether another connection may succeed. Errors about names, authorities, certificates and protocols are
    /// permanent.
    package var isPassing: Bool

    package init(_ code: Code, _ detail: String, isPassing: Bool = false) {
        (self.code, self.detail, self.isPassing) = (code, detail, isPassing)
    }

    package var description: String { detail }
}
