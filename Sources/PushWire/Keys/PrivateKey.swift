internal import CSSL

/// Owns one `EVP_PKEY` with a private half, of any algorithm: the key of a client certificate.
///
/// Any thread may use it, for the reasons given at ``P256Key``.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership.
    init(taking pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Whether a certificate is for it.
    func fits(_ x509: OpaquePointer) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return X509_check_private_key(x509, pointer) == 1
    }

    /// The same key in OpenSSL's default context, in which TLS signs; `nil` when it cannot be carried there.
    func inDefaultContext() -> PrivateKey? {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let info = EVP_PKEY2PKCS8(pointer) else { return nil }
        // It wipes the key in it.
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return EVP_PKCS82PKEY(info).map(PrivateKey.init(taking:))
    }
}
