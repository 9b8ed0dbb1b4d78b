internal import CSSL

/// A public key that verifies provider tokens: ES256, and a form that one sender calls ES512.
///
/// Any thread may use it, for the reasons given at ``P256Key``.
package final class VerifyingKey: Sendable {
    package struct SignatureForm: Sendable {
        /// Only r and s, 32 bytes each: RFC 7518 section 3.4.
        package static let raw = SignatureForm(rawWidth: 32)
        /// An ASN.1 SEQUENCE of r and s, as `openssl dgst -sign` writes it.
        package static let der = SignatureForm(takesDER: true)
        /// Either encoding: APNs has been seen to accept both.
        package static let rawOrDER = SignatureForm(rawWidth: 32, takesDER: true)
        /// Only r and s, padded to 66 bytes each, of a SHA-512 hash: the form that ES512 has for P-521. One sender
        /// writes it with a key for P-256.
        package static let padded512 = SignatureForm(rawWidth: 66, hasSHA512: true)

        /// The bytes of r and of s; `nil` if they may not stand alone.
        fileprivate var rawWidth: Int?
        fileprivate var takesDER = false
        fileprivate var hasSHA512 = false
        fileprivate var hash: OpaquePointer? { hasSHA512 ? EVP_sha512() : EVP_sha256() }
    }

    private let key: P256Key
    /// SHA-256 of the public key, in hex. Equal keys have equal fingerprints.
    package let fingerprint: String

    /// Reads a public key in PEM, or the public half of a private key.
    ///
    /// - Throws: ``KeyError``, with a separate sentence for each usual mistake.
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
        let raw = form.rawWidth.flatMap { ECDSASignature.der(raw: signature, width: $0) }
        if let raw, verify(der: raw, over: message, form.hash) { return true }
        return form.takesDER && verify(der: signature, over: message, form.hash)
    }

    /// Whether this key made the signature with SHA-256 or SHA-512, in any encoding, also one that no form has.
    package func madeInAnyForm(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        let encodings = [signature] + [32, 66].compactMap { ECDSASignature.der(raw: signature, width: $0) }
        return [EVP_sha256(), EVP_sha512()].contains { hash in
            encodings.contains { verify(der: $0, over: message, hash) }
        }
    }

    private func verify(der: [UInt8], over message: [UInt8], _ hash: OpaquePointer?) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, hash, nil, key.pointer) == 1
            && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }
}
