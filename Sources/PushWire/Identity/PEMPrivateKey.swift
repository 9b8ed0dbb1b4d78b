internal import CSSL

/// Reads the private key of a client certificate from PEM: PKCS#8 and older formats, encrypted or not.
enum PEMPrivateKey {
    private static let labels = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", encryptedLabel]
    private static let encryptedLabel = "ENCRYPTED PRIVATE KEY"

    /// Returns the first private key of a file; `nil` if there is none.
    static func read(_ file: [UInt8], _ passphrase: SecretBuffer?) throws(IdentityError) -> PrivateKey? {
        guard let block = PEMBlock.all(in: file).first(where: { labels.contains($0.label) }) else { return nil }
        switch block.condition(in: file) {
        case .whole: break
        case .cutOff: throw .damaged("the last line of the key is missing")
        case .lineBreaksLost: throw .damaged("the line breaks of the key are missing")
        }
        let isEncrypted = block.label == encryptedLabel || block.isEncryptedInside(file)
        if isEncrypted, passphrase == nil { throw .passphraseNeeded }
        let content = try PEMContent(block.text(in: file))
        if block.label == encryptedLabel { return try decipheredPKCS8(content, passphrase) }
        if isEncrypted { try content.decipher(passphrase) }
        guard let key = key(content) else {
            // Decryption with a wrong passphrase can succeed with random bytes.
            if isEncrypted { throw .wrongPassphrase }
            throw .damaged("OpenSSL can't read the key: \(OpenSSLErrorQueue.summary())")
        }
        return key
    }

    private static func key(_ content: PEMContent) -> PrivateKey? {
        OpenSSLErrorQueue.clear()
        var start: UnsafePointer<UInt8>? = content.start
        return d2i_AutoPrivateKey(nil, &start, content.count).map(PrivateKey.init(taking:))
    }

    private static func decipheredPKCS8(
        _ content: PEMContent, _ passphrase: SecretBuffer?
    ) throws(IdentityError) -> PrivateKey {
        OpenSSLErrorQueue.clear()
        var start: UnsafePointer<UInt8>? = content.start
        guard let wrapped = d2i_X509_SIG(nil, &start, content.count) else {
            throw .damaged("OpenSSL can't read the key: \(OpenSSLErrorQueue.summary())")
        }
        defer { X509_SIG_free(wrapped) }
        var algorithm: UnsafePointer<X509_ALGOR>?
        X509_SIG_get0(wrapped, &algorithm, nil)
        let encryption = PassphraseEncryption(algorithm)
        if let encryption, encryption.isTooSlow { throw .tooSlow(encryption.rounds) }
        let names = encryption?.names ?? []
        if let key = try decipher(wrapped, passphrase, in: nil) { return key }
        guard let legacy = LegacyProvider.shared else { throw .legacyProviderMissing(names) }
        guard let key = try decipher(wrapped, passphrase, in: legacy.context) else {
            throw .unsupportedAlgorithm(names)
        }
        return key
    }

    /// Returns the key; `nil` if OpenSSL does not support its encryption in this context.
    private static func decipher(
        _ wrapped: OpaquePointer, _ passphrase: SecretBuffer?, in context: OpaquePointer?
    ) throws(IdentityError) -> PrivateKey? {
        OpenSSLErrorQueue.clear()
        let plain = passphrase.withCharacters { PKCS8_decrypt_ex(wrapped, $0, $1, context, nil) }
        defer { PKCS8_PRIV_KEY_INFO_free(plain) }
        if let plain, let key = EVP_PKCS82PKEY(plain) { return PrivateKey(taking: key) }
        if OpenSSLErrorQueue.saysUnsupported() { return nil }
        throw .wrongPassphrase
    }
}

/// Owns the contents of one PEM block. Its memory is wiped.
private final class PEMContent {
    private var bytes: UnsafeMutablePointer<UInt8>?
    private var header: UnsafeMutablePointer<CChar>?
    private(set) var count = 0
    /// The size of the memory. After decryption, only a part is used.
    private let capacity: Int

    var start: UnsafePointer<UInt8>? { UnsafePointer(bytes) }

    init(_ text: ArraySlice<UInt8>) throws(IdentityError) {
        OpenSSLErrorQueue.clear()
        var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let isRead = OpenSSLBytes.read(text) { PEM_read_bio($0, &name, &header, &bytes, &count) == 1 } ?? false
        defer { CSSL_free(name) }
        self.bytes = bytes
        self.header = header
        self.count = count
        capacity = count
        guard isRead else { throw .damaged("OpenSSL can't read the key: \(OpenSSLErrorQueue.summary())") }
    }

    deinit {
        if let bytes { OPENSSL_cleanse(bytes, capacity) }
        CSSL_free(bytes)
        CSSL_free(header)
    }

    /// Decrypts in place, with the algorithm in the lines above the base64.
    func decipher(_ passphrase: SecretBuffer?) throws(IdentityError) {
        OpenSSLErrorQueue.clear()
        var encryption = EVP_CIPHER_INFO()
        guard let bytes, let header, let passphrase, PEM_get_EVP_CIPHER_INFO(header, &encryption) == 1 else {
            throw .unsupportedAlgorithm([])
        }
        let user = Unmanaged.passUnretained(passphrase).toOpaque()
        guard PEM_do_header(&encryption, bytes, &count, givePassphrase, user) == 1 else {
            let name = encryption.cipher.flatMap { EVP_CIPHER_get0_name($0) }.map { String(cString: $0) }
            throw OpenSSLErrorQueue.saysUnsupported()
                ? .unsupportedAlgorithm([name].compactMap { $0 }) : .wrongPassphrase
        }
    }
}

/// Copies the passphrase into OpenSSL's buffer. OpenSSL wipes the buffer.
private func givePassphrase(
    buffer: UnsafeMutablePointer<CChar>?, size: Int32, _: Int32, user: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let user else { return -1 }
    let passphrase = Unmanaged<SecretBuffer>.fromOpaque(user).takeUnretainedValue()
    return passphrase.withBytes { bytes in
        guard bytes.count <= Int(size) else { return -1 }
        UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)).copyMemory(from: bytes)
        return Int32(bytes.count)
    }
}
