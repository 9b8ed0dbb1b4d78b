internal import CSSL

/// The certificates of a PEM text.
enum PEMCertificates {
    /// Owns one reference to an `X509`.
    final class Certificate {
        let x509: OpaquePointer
        init(_ x509: OpaquePointer) { self.x509 = x509 }
        deinit { X509_free(x509) }
    }

    /// Returns the certificates up to the first one that cannot be read. Other PEM blocks are ignored.
    static func read(_ pem: [UInt8]) -> [Certificate] {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return RestoredFile.with(pem) { pem in
            OpenSSLBytes.read(pem[...]) { bio in
                var certificates: [Certificate] = []
                while let x509 = PEM_read_bio_X509(bio, nil, refusePassphrase, nil) {
                    certificates.append(Certificate(x509))
                }
                return certificates
            } ?? []
        }
    }
}
