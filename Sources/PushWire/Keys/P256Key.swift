internal import CSSL

/// Owns one `EVP_PKEY` that is a P-256 key, private or public only.
///
/// Any thread may use it. `@unchecked Sendable` is correct: the pointer never changes; the object is only read after
/// `init` (OpenSSL counts references atomically, and protects the provider's copy of the key with its own lock); each
/// operation creates its own context; and the key is freed once, after the last reference is released.
final class P256Key: @unchecked Sendable {
    let pointer: OpaquePointer
    let isPrivate: Bool

    /// Takes ownership of the pointer, even if it throws.
    private init(taking pointer: OpaquePointer, isPrivate: Bool) throws(KeyError) {
        self.pointer = pointer
        self.isPrivate = isPrivate
        try P256Key.checkKind(of: pointer)
        try check()
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Reads the key of a PEM file, private or public.
    convenience init(pem: [UInt8]) throws(KeyError) {
        let (pointer, isPrivate) = try RestoredFile.with(pem) { file throws(KeyError) in
            let block = try KeyFile.block(in: file)
            return (try P256Key.read(block), block.isPrivate)
        }
        try self.init(taking: pointer, isPrivate: isPrivate)
    }

    static func generate() throws(KeyError) -> P256Key {
        OpenSSLErrorQueue.clear()
        guard let key = CSSL_generate_p256() else { throw .failed("make a key") }
        return try P256Key(taking: key, isPrivate: true)
    }

    /// The private key as PKCS#8 PEM, unencrypted.
    func privatePEM() throws(KeyError) -> [UInt8] {
        OpenSSLErrorQueue.clear()
        let pem = OpenSSLBytes.written { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
        guard let pem else { throw .failed("write a key") }
        return pem
    }

    /// SHA-256 of the public key (SubjectPublicKeyInfo in DER), in hex.
    func fingerprint() throws(KeyError) -> String {
        OpenSSLErrorQueue.clear()
        guard let der = publicDER() ?? OpenSSLBytes.encoded({ i2d_PUBKEY(pointer, $0) }) else {
            throw .failed("encode a public key")
        }
        guard let fingerprint = Fingerprint.of(der) else { throw .failed("hash a public key") }
        return fingerprint
    }

    /// SubjectPublicKeyInfo of a key with an uncompressed point; everything except the point is constant (RFC 5480).
    /// OpenSSL's own function loads all its encoders first, which takes as long as ten signatures.
    private func publicDER() -> [UInt8]? {
        var point = [UInt8](repeating: 0, count: 65)
        var count = 0
        guard EVP_PKEY_get_octet_string_param(pointer, "pub", &point, point.count, &count) == 1, count == 65,
            point[0] == 4
        else { return nil }
        return [0x30, 0x59] + PlainP256File.algorithm + [0x03, 0x42, 0x00] + point
    }

    private static func read(_ block: KeyFile.Block) throws(KeyError) -> OpaquePointer {
        OpenSSLErrorQueue.clear()
        if block.isPrivate, let key = PlainP256File.read(block.text) { return key }
        OpenSSLErrorQueue.clear()
        let key = OpenSSLBytes.read(block.text) { bio in
            block.isPrivate
                ? PEM_read_bio_PrivateKey(bio, nil, refusePassphrase, nil)
                : PEM_read_bio_PUBKEY(bio, nil, refusePassphrase, nil)
        }
        guard let key else { throw .damaged("OpenSSL: \(OpenSSLErrorQueue.summary())") }
        OpenSSLErrorQueue.clear()
        return key
    }

    private static func checkKind(of key: OpaquePointer) throws(KeyError) {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        if EVP_PKEY_is_a(key, "RSA") == 1 || EVP_PKEY_is_a(key, "RSA-PSS") == 1 { throw .rsa }
        guard EVP_PKEY_is_a(key, "EC") == 1 else {
            throw .otherAlgorithm(EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "another algorithm")
        }
        var name = [CChar](repeating: 0, count: 80)
        guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { throw .otherCurve(nil) }
        let curve = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if curve != "prime256v1" { throw .otherCurve(["secp384r1": "P-384", "secp521r1": "P-521"][curve] ?? curve) }
    }

    /// Checks that the private and the public half belong together. Otherwise the signatures would be invalid.
    private func check() throws(KeyError) {
        OpenSSLErrorQueue.clear()
        let context = EVP_PKEY_CTX_new(pointer, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard let context else { throw .failed("check a key") }
        let fits = isPrivate ? EVP_PKEY_check(context) : EVP_PKEY_public_check(context)
        guard fits == 1 else { throw .damaged("OpenSSL: \(OpenSSLErrorQueue.summary())") }
    }
}

/// Refuses OpenSSL's request for a passphrase. Otherwise OpenSSL asks for it on the terminal.
func refusePassphrase(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 {
    -1
}

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

    func fits(_ x509: OpaquePointer) -> Bool {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return X509_check_private_key(x509, pointer) == 1
    }
}
