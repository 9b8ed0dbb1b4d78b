internal import CSSL

/// The result when a server checks the certificate of a client.
package enum PeerCertificateResult: Hashable, Sendable {
    case absent
    /// A trusted authority issued the certificate, and it is valid now.
    case trusted
    /// A trusted authority issued the certificate, but it has expired.
    case expired
    /// A trusted authority issued the certificate, but it is not valid yet.
    case notYetValid
    /// No trusted authority issued the certificate.
    case untrusted
}

extension TLSSession {
    /// The contents of the peer's certificate; `nil` if the peer sent none, or one that cannot be read.
    package var peerCertificate: ProviderCertificate? {
        withPeerCertificate { x509 in try? ProviderCertificate(x509: x509) } ?? nil
    }

    /// Checks the certificate of the client. The handshake of a server accepts every certificate.
    ///
    /// - Parameters:
    ///   - authoritiesPEM: The trusted authorities. An intermediate authority counts like a self-signed one.
    ///   - now: The time, in seconds since 1970. Only the dates of the client's own certificate are checked.
    /// - Returns: The result.
    package func peerCertificateResult(authoritiesPEM: [UInt8], now: Int) -> PeerCertificateResult {
        withPeerCertificate { x509 in
            guard isIssued(x509, byOneOf: PEMCertificates.read(authoritiesPEM)),
                let certificate = try? ProviderCertificate(x509: x509)
            else { return .untrusted }
            if now > certificate.notAfter { return .expired }
            return now < certificate.notBefore ? .notYetValid : .trusted
        } ?? .absent
    }

    private func isIssued(_ x509: OpaquePointer, byOneOf authorities: [PEMCertificates.Certificate]) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new() else { return false }
        defer { X509_STORE_free(store) }
        defer { X509_STORE_CTX_free(context) }
        for authority in authorities { X509_STORE_add_cert(store, authority.x509) }
        // A certificate for a server or an authority is not valid for a client.
        X509_STORE_set_purpose(store, X509_PURPOSE_SSL_CLIENT)
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_PARTIAL_CHAIN))
        guard X509_STORE_CTX_init(context, store, x509, peerChain) == 1 else { return false }
        return X509_verify_cert(context) == 1
    }
}
