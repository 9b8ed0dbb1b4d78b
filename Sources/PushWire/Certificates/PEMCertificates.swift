internal import CSSL

/// The certificates of a PEM text.
enum PEMCertificates {
    /// Owns one reference to an `X509`.
    final class Certificate {
        let x509: OpaquePointer
        init(_ x509: OpaquePointer) { self.x509 = x509 }
        deinit { X509_free(x509) }
    }

    /// Reads as far as it can be read; other PEM blocks are passed over.
    static func read(_ pem: [UInt8]) -> [Certificate] {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return OpenSSLBytes.read(pem[...]) { bio in
            var certificates: [Certificate] = []
            while let x509 = PEM_read_bio_X509(bio, nil, refusePassphrase, nil) {
                certificates.append(Certificate(x509))
            }
            return certificates
        } ?? []
    }
}
