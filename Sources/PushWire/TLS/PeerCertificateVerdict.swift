internal import CSSL

/// What a server thinks of the certificate that a client has shown.
package enum PeerCertificateVerdict: Hashable, Sendable {
    /// The client has shown none.
    case absent
    /// One of the authorities has issued it, and it is in force.
    case trusted
    /// One of the authorities has issued it, and its time is over.
    case expired
    /// One of the authorities has issued it, and its time is to come.
    case notYetValid
    /// None of the authorities has issued it.
    case untrusted
}

extension TLSSession {
    /// What the other side's certificate says; `nil` when it has shown none, or one that cannot be read.
    package var peerCertificate: ProviderCertificate? {
        withPeerCertificate { x509 in try? ProviderCertificate(x509: x509) } ?? nil
    }

    /// Judges the certificate that the client has shown. A server's handshake accepts all.
    ///
    /// - Parameters:
    ///   - authoritiesPEM: Who may have issued it. An intermediate authority counts as much as one that signs itself.
    ///   - now: The time, in seconds since 1970. Only the client's own certificate is compared with it.
    /// - Returns: The verdict.
    package func peerCertificateVerdict(authoritiesPEM: [UInt8], now: Int) -> PeerCertificateVerdict {
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
        // A certificate of a server or of an authority is none of a client.
        X509_STORE_set_purpose(store, X509_PURPOSE_SSL_CLIENT)
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_PARTIAL_CHAIN))
        guard X509_STORE_CTX_init(context, store, x509, peerChain) == 1 else { return false }
        return X509_verify_cert(context) == 1
    }
}
