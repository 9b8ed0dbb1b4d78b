internal import CSSL

/// A server certificate of a mock: its names, validity and issuer.
///
/// Owns one `X509`. Only one thread may use it at a time, because OpenSSL computes some values at the first request.
package final class Certificate {
    let pointer: OpaquePointer

    /// The first and the last second in which it is valid, in unix time.
    package let validity: ClosedRange<Int64>

    /// Reads the first certificate of a PEM text.
    package convenience init(pem: [UInt8]) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        let x509 = OpenSSLBytes.read(pem[...]) { PEM_read_bio_X509($0, nil, refusePassphrase, nil) }
        guard let x509 else { throw .damagedCertificate("PEM") }
        try self.init(taking: x509)
    }

    /// Takes ownership of the pointer, even if it throws.
    init(taking x509: OpaquePointer) throws(CertificateError) {
        pointer = x509
        OpenSSLErrorQueue.clear()
        guard let start = Certificate.unixSeconds(X509_get0_notBefore(x509)),
            let end = Certificate.unixSeconds(X509_get0_notAfter(x509)), start <= end
        else {
            X509_free(x509)
            throw .damagedCertificate("PEM")
        }
        validity = start...end
    }

    deinit {
        X509_free(pointer)
    }

    /// Whether the certificate is valid for a host name or an IP address.
    package func covers(_ name: String) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        // Current clients ignore a name in the subject.
        let noSubject = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        return switch try? CertificateName(name) {
        case .address(let text): X509_check_ip_asc(pointer, text, 0) == 1
        case .host(let text): X509_check_host(pointer, text, text.utf8.count, noSubject, nil) == 1
        case nil: false
        }
    }

    /// Whether an authority issued and signed it.
    package func isIssued(by authority: CertificateAuthority) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return X509_check_issued(authority.certificate.pointer, pointer) == X509_V_OK
            && X509_verify(pointer, authority.key.pointer) == 1
    }

    package func fits(privateKeyPEM: [UInt8]) -> Bool {
        guard let key = try? P256Key(pem: privateKeyPEM), key.isPrivate else { return false }
        return fits(key)
    }

    func fits(_ key: P256Key) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return X509_check_private_key(pointer, key.pointer) == 1
    }

    func pem() throws(CertificateError) -> [UInt8] {
        OpenSSLErrorQueue.clear()
        guard let pem = OpenSSLBytes.written({ PEM_write_bio_X509($0, pointer) }) else {
            throw .failed("write a certificate")
        }
        return pem
    }

    static func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        let epoch = ASN1_TIME_set(nil, 0)
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard let time, let epoch, ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86400 + Int64(seconds)
    }
}
