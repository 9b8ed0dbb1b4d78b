internal import APNSVocabulary
internal import CSSL

/// One certificate of a server's chain. Its texts are from the peer; characters that could control a terminal are
/// replaced.
package struct ChainCertificate: Equatable, Sendable {
    /// The common name of the subject; its organization if it has no common name.
    package var subject: String
    /// The common name of the issuer; its organization if it has no common name.
    package var issuer: String
    /// The last second in which the certificate is valid, in seconds since 1970.
    package var notAfter: Int
    /// SHA-256 of the whole certificate, in hex.
    package var fingerprint: String

    package init(subject: String, issuer: String, notAfter: Int, fingerprint: String = "") {
        (self.subject, self.issuer, self.notAfter, self.fingerprint) = (subject, issuer, notAfter, fingerprint)
    }
}

extension TLSSession {
    /// The chain that OpenSSL built for the peer's certificate, the peer's own certificate first.
    ///
    /// After a successful handshake its last certificate is the trusted root. After a failed verification it is as far
    /// as OpenSSL could build it. It is empty if the peer sent no certificate.
    package var peerCertificates: [ChainCertificate] {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let chain = builtChain else { return [] }
        return (0..<CSSL_X509_stack_count(chain)).compactMap { index in
            CSSL_X509_stack_value(chain, index).flatMap(ChainCertificate.init)
        }
    }
}

extension ChainCertificate {
    fileprivate init?(_ x509: OpaquePointer) {
        guard let end = Certificate.unixSeconds(X509_get0_notAfter(x509)),
            let fingerprint = Fingerprint.ofCertificate(x509)
        else { return nil }
        subject = Self.name(X509_get_subject_name(x509))
        issuer = Self.name(X509_get_issuer_name(x509))
        notAfter = Int(end)
        self.fingerprint = fingerprint
    }

    private static func name(_ name: OpaquePointer?) -> String {
        let text = SubjectText.first(NID_commonName, in: name) ?? SubjectText.first(NID_organizationName, in: name)
        return PeerText.printable(text ?? "a certificate without a name")
    }
}
