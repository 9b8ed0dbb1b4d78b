internal import CSSL

/// A public key that verifies provider tokens (ES256).
///
/// Any thread may use it, for the reasons given at ``P256Key``.
package final class VerifyingKey: Sendable {
    /// How a signature is written.
    package enum SignatureForm: Sendable {
        /// r and s, 32 bytes each, and nothing else: RFC 7518 section 3.4.
        case raw
        /// An ASN.1 SEQUENCE of both, as `openssl dgst -sign` gives it.
        case der
        /// Either: APNs has been seen to take both.
        case rawOrDER
    }

    private let key: P256Key
    /// SHA-256 of the public key, in hex: two keys are the same when theirs are.
    package let fingerprint: String

    /// Reads a public key in PEM, or takes the public half of a private one.
    ///
    /// - Throws: ``KeyError``, which tells apart what people hand in instead.
    package convenience init(pem: [UInt8]) throws(KeyError) {
        let key = try P256Key(pem: pem)
        self.init(key: key, fingerprint: try key.fingerprint())
    }

    init(key: P256Key, fingerprint: String) {
        self.key = key
        self.fingerprint = fingerprint
    }

    /// Whether the signature is this key's over the message. Bytes that are no signature at all are not.
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
