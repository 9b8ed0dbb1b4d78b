internal import CSSL

/// A public key that verifies provider tokens (ES256).
///
/// Any thread may use it, for the reasons given at ``P256Key``.
package final class VerifyingKey: Sendable {
    /// The encoding of a signature.
    package enum SignatureForm: Sendable {
        /// Only r and s, 32 bytes each: RFC 7518 section 3.4.
        case raw
        /// An ASN.1 SEQUENCE of r and s, as `openssl dgst -sign` writes it.
        case der
        /// Either encoding: APNs has been seen to accept both.
        case rawOrDER
    }

    private let key: P256Key
    /// SHA-256 of the public key, in hex. Equal keys have equal fingerprints.
    package let fingerprint: String

    /// Reads a public key in PEM, or the public half of a private key.
    ///
    /// - Throws: ``KeyError``, with a separate code for each usual mistake.
    package convenience init(pem: [UInt8]) throws(KeyError) {
        let key = try P256Key(pem: pem)
        self.init(key: key, fingerprint: try key.fingerprint())
    }

    init(key: P256Key, fingerprint: String) {
        self.key = key
        self.fingerprint = fingerprint
    }

    /// Whether this key made the signature of the message; `false` for bytes that are not a signature.
    package func verify(
        signature: [UInt8], over message: some Sequence<UInt8>, form: SignatureForm = .rawOrDER
    ) -> Bool {
        let message = Array(message)
        let raw = form == .der ? nil : ECDSASignature.der(raw: signature)
        if let raw, verify(der: raw, over: message) { return true }
        return form != .raw && verify(der: signature, over: message)
    }

    private func verify(der: [UInt8], over message: [UInt8]) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1
            && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }
}
