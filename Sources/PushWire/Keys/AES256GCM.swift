internal import CSSL

/// AES-GCM with a key of 256 bits (NIST SP 800-38D), compatible with CryptoKit's `AES.GCM`.
///
/// A box is nonce (12 bytes), ciphertext and tag (16 bytes), in this order, like CryptoKit's `combined`.
package enum AES256GCM {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// Encrypts and authenticates a plaintext.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes to encrypt.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes that were never used with this key before. The default is random, which is safe for a few
    ///     thousand million boxes with one key.
    ///   - authenticated: Bytes outside the box that must be equal when it is opened.
    /// - Returns: The box; `nil` if the key or the nonce has the wrong length, or if OpenSSL fails.
    package static func seal(
        _ plaintext: [UInt8], key: SecretBuffer, nonce: [UInt8]? = nil, authenticating authenticated: [UInt8]
    ) -> [UInt8]? {
        guard let nonce = nonce ?? randomBytes(nonceByteCount), nonce.count == nonceByteCount else { return nil }
        return withContext(key, nonce, encrypting: true) { context in
            guard var ciphertext = updated(context, plaintext, authenticated), finished(context) else { return nil }
            var tag = [UInt8](repeating: 0, count: tagByteCount)
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 else { return nil }
            ciphertext = nonce + ciphertext + tag
            return ciphertext
        }
    }

    /// Opens a box.
    ///
    /// - Returns: The plaintext; `nil` if the key is wrong or anything was changed.
    package static func open(
        _ box: [UInt8], key: SecretBuffer, authenticating authenticated: [UInt8]
    ) -> [UInt8]? {
        guard box.count >= nonceByteCount + tagByteCount else { return nil }
        let nonce = Array(box.prefix(nonceByteCount))
        var tag = Array(box.suffix(tagByteCount))
        let ciphertext = Array(box.dropFirst(nonceByteCount).dropLast(tagByteCount))
        return withContext(key, nonce, encrypting: false) { context in
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
                var plaintext = updated(context, ciphertext, authenticated)
            else { return nil }
            // The plaintext is authentic only after this check. Do not return it before.
            guard finished(context) else {
                SecretBytes.wipe(&plaintext)
                return nil
            }
            return plaintext
        }
    }

    /// Returns unpredictable random bytes; `nil` if the system has none.
    package static func randomBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return RAND_bytes(&bytes, Int32(count)) == 1 ? bytes : nil
    }

    // MARK: OpenSSL

    private static func withContext(
        _ key: SecretBuffer, _ nonce: [UInt8], encrypting: Bool, _ body: (OpaquePointer) -> [UInt8]?
    ) -> [UInt8]? {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        // This also wipes the expanded key.
        defer { EVP_CIPHER_CTX_free(context) }
        let isReady = key.withBytes { key in
            // The nonce has the cipher's default length.
            key.count == keyByteCount
                && EVP_CipherInit_ex(
                    context, EVP_aes_256_gcm(), nil, key.bindMemory(to: UInt8.self).baseAddress, nonce,
                    encrypting ? 1 : 0) == 1
        }
        return isReady ? body(context) : nil
    }

    private static func updated(_ context: OpaquePointer, _ bytes: [UInt8], _ authenticated: [UInt8]) -> [UInt8]? {
        guard let authenticatedCount = Int32(exactly: authenticated.count), let count = Int32(exactly: bytes.count)
        else { return nil }
        var written: Int32 = 0
        if authenticatedCount > 0 {
            guard EVP_CipherUpdate(context, nil, &written, authenticated, authenticatedCount) == 1 else { return nil }
        }
        var result = [UInt8](repeating: 0, count: bytes.count)
        guard count > 0 else { return result }
        guard EVP_CipherUpdate(context, &result, &written, bytes, count) == 1, written == count else { return nil }
        return result
    }

    /// Verifies or creates the tag. GCM writes no more bytes here.
    private static func finished(_ context: OpaquePointer) -> Bool {
        var rest = [UInt8](repeating: 0, count: tagByteCount)
        var count: Int32 = 0
        return EVP_CipherFinal_ex(context, &rest, &count) == 1
    }
}
