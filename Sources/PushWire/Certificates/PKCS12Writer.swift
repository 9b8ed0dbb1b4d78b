internal import CSSL

package enum PKCS12Writer {
    /// A file with certificates to trust, which Java reads too.
    ///
    /// - Parameters:
    ///   - authorities: The certificates, in PEM.
    ///   - name: The name of each entry.
    ///   - password: The passphrase of the file.
    /// - Returns: The file.
    /// - Throws: ``CertificateError``.
    package static func trustStore(
        authorities: [[UInt8]], name: String, password: String
    ) throws(CertificateError) -> [UInt8] {
        OpenSSLErrorQueue.clear()
        var bags: OpaquePointer?
        defer { CSSL_PKCS12_bags_free(bags) }
        for pem in authorities {
            let certificate = try Certificate(pem: pem)
            guard CSSL_PKCS12_add_trusted_certificate(&bags, certificate.pointer, name) == 1 else {
                throw .failed("add a certificate to a .p12 file")
            }
        }
        var safes: OpaquePointer?
        defer { CSSL_PKCS7_stack_free(safes) }
        guard PKCS12_add_safe(&safes, bags, NID_aes_256_cbc, 10_000, password) == 1,
            let file = PKCS12_add_safes(safes, 0)
        else { throw .failed("make a .p12 file") }
        defer { PKCS12_free(file) }
        guard PKCS12_set_mac(file, password, -1, nil, 0, 10_000, EVP_sha256()) == 1 else {
            throw .failed("protect a .p12 file")
        }
        return try encoded(file)
    }

    /// How the file of an identity is encrypted and protected.
    package enum Protection: Sendable {
        /// As OpenSSL 3 does it: AES-256 and SHA-256.
        case modern
        /// Triple DES and SHA-1 (RFC 7292, appendix C), for programs that read nothing newer: Go's x/crypto/pkcs12, Java 8, the
        /// keychain of older macOS versions.
        case legacy
    }

    static func identity(
        _ certificate: Certificate, _ key: P256Key, name: String, password: String, _ protection: Protection
    ) throws(CertificateError) -> [UInt8] {
        OpenSSLErrorQueue.clear()
        let isLegacy = protection == .legacy
        let cipher = isLegacy ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : 0
        // PKCS12_create cannot choose the digest of the MAC: with -1 it leaves the MAC out.
        guard
            let file = PKCS12_create(
                password, name, key.pointer, certificate.pointer, nil, cipher, cipher, 10_000, isLegacy ? -1 : 10_000, 0
            )
        else { throw .failed("make a .p12 file") }
        defer { PKCS12_free(file) }
        guard !isLegacy || PKCS12_set_mac(file, password, -1, nil, 0, 10_000, EVP_sha1()) == 1 else {
            throw .failed("protect a .p12 file")
        }
        return try encoded(file)
    }

    private static func encoded(_ file: OpaquePointer) throws(CertificateError) -> [UInt8] {
        guard let bytes = OpenSSLBytes.encoded({ i2d_PKCS12(file, $0) }) else { throw .failed("encode a .p12 file") }
        return bytes
    }
}
