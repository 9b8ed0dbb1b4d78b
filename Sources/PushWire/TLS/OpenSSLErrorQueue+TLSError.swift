internal import CSSL

extension [OpenSSLErrorQueue.Entry] {
    /// Converts OpenSSL's error queue to a TLS error. Only this function does it.
    ///
    /// - Parameters:
    ///   - operation: What has failed.
    ///   - hasCertificate: Whether this side has a certificate that it could send.
    /// - Returns: The error.
    func tlsError(_ operation: String, hasCertificate: Bool = true) -> TLSError {
        guard let first else { return TLSError(code: .failed, detail: operation) }
        let alertBase = Int32(SSL_AD_REASON_OFFSET)
        let message = map(\.reason).joined(separator: "; ")
        guard first.library == ERR_LIB_SSL else { return TLSError(code: .failed, detail: "\(operation) (\(message))") }
        switch first.code {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG,
            SSL_R_RECORD_LENGTH_MISMATCH:
            return TLSError(code: .notTLS, detail: "the other side doesn't speak TLS (\(message))")
        case alertBase + SSL_AD_NO_APPLICATION_PROTOCOL, SSL_R_NO_APPLICATION_PROTOCOL:
            return TLSError(code: .noHTTP2, detail: "the other side doesn't speak HTTP/2 (no ALPN \"h2\")")
        case alertBase...(alertBase + 255):
            return Self.error(ofAlert: first.code - alertBase, message, hasCertificate)
        default:
            return TLSError(code: .failed, detail: "\(operation) (\(message))")
        }
    }

    /// Returns the error for an alert. An alert about a certificate is about the certificate of this side (RFC 8446
    /// section 6.2).
    private static func error(ofAlert alert: Int32, _ message: String, _ hasCertificate: Bool) -> TLSError {
        if alert == SSL_AD_CERTIFICATE_REQUIRED || alert == SSL_AD_NO_CERTIFICATE {
            return TLSError(
                code: .ownCertificateRefused,
                detail: "the other side requires a certificate, and none was sent (\(message))")
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
            return TLSError(
                code: .alertReceived, detail: "the other side ended the TLS connection (\(message))", isPassing: true)
        }
        if what.isEmpty {
            return TLSError(code: .alertReceived, detail: "the other side ended the TLS connection (\(message))")
        }
        guard hasCertificate else {
            return TLSError(
                code: .ownCertificateRefused,
                detail: "the other side refused the connection because of a certificate, but none was sent (\(message))"
            )
        }
        let isExpired = alert == SSL_AD_CERTIFICATE_EXPIRED
        return TLSError(
            code: isExpired ? .ownCertificateExpired : .ownCertificateRefused,
            detail: "the other side refused the certificate sent to it, \(what) (\(message))"
        )
    }
}
