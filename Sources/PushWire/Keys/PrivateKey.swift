internal import CSSL

/// Owns one `EVP_PKEY` with a private half, of any algorithm: the key of a client certificate.
///
/// Any thread may use it, for the reasons given at ``P256Key``.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the pointer.
    init(taking pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Whether a certificate belongs to this key.
    func fits(_ x509: OpaquePointer) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return X509_check_private_key(x509, pointer) == 1
    }
}
