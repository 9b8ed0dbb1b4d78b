internal import CSSL

/// The private key that signs provider tokens: ES256, which is ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4).
///
/// Any thread may use it: everything in it is immutable, and ``P256Key`` explains why OpenSSL's part is safe too.
package final class SigningKey: Sendable {
    let key: P256Key
    /// SHA-256 of the public key, in hex. Equal keys have equal fingerprints.
    package let fingerprint: String

    /// Reads a private key: Apple's `.p8` (PKCS#8), or the older format `EC PRIVATE KEY`.
    ///
    /// - Parameter pem: The contents of the file. Wipe them afterwards (``SecretBytes``).
    /// - Throws: ``KeyError``, with a separate sentence for each usual mistake.
    package convenience init(pem: [UInt8]) throws(KeyError) {
        let key = try P256Key(pem: pem)
        guard key.isPrivate else { throw .publicKey }
        try self.init(key: key)
    }

    private init(key: P256Key) throws(KeyError) {
        self.key = key
        fingerprint = try key.fingerprint()
    }

    /// Generates a new key, for example for a mock.
    package static func generate() throws(KeyError) -> SigningKey {
        try SigningKey(key: P256Key.generate())
    }

    package var verifyingKey: VerifyingKey { VerifyingKey(key: key, fingerprint: fingerprint) }

    /// Returns the key as unencrypted PKCS#8 PEM, the format of Apple's files.
    package func pem() throws(KeyError) -> [UInt8] {
        try key.privatePEM()
    }

    /// Signs the bytes of a message.
    ///
    /// - Returns: r and s, 32 bytes each, as in JWT. Two signatures of the same message differ.
    package func sign(_ message: some Sequence<UInt8>) throws(KeyError) -> [UInt8] {
        let message = Array(message)
        OpenSSLErrorQueue.clear()
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 80)
        var count = der.count
        guard let context,
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            EVP_DigestSign(context, &der, &count, message, message.count) == 1,
            let raw = ECDSASignature.raw(der: Array(der.prefix(count)))
        else { throw .failed("sign") }
        return raw
    }
}

/// Converts between the two encodings of a P-256 signature.
enum ECDSASignature {
    /// Returns r and s of an ASN.1 SEQUENCE, 32 bytes each.
    static func raw(der: [UInt8]) -> [UInt8]? {
        let signature = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        let fits = raw.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
        }
        return fits ? raw : nil
    }

    /// Returns the ASN.1 SEQUENCE for r and s of `width` bytes each.
    static func der(raw: [UInt8], width: Int = 32) -> [UInt8]? {
        guard raw.count == 2 * width, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let r = BN_bin2bn(Array(raw.prefix(width)), Int32(width), nil)
        let s = BN_bin2bn(Array(raw.suffix(width)), Int32(width), nil)
        // On success the signature owns both numbers; otherwise they must be freed here.
        guard r != nil, s != nil, ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        return OpenSSLBytes.encoded { i2d_ECDSA_SIG(signature, $0) }
    }
}
