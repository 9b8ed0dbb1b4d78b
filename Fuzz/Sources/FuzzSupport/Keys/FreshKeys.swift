internal import CSSL

/// Keys and certificates for seeds, new in each process.
package enum FreshKeys {
    /// An RSA key, which the caller owns.
    package static func rsa() -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &key) == 1 else { return nil }
        return key
    }
}
