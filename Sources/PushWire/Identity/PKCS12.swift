internal import CSSL

/// Owns one `PKCS12`. For one thread at a time.
final class PKCS12 {
    private let pointer: OpaquePointer
    /// The context in which it deciphers; `nil` for OpenSSL's default one.
    private let context: OpaquePointer?

    init(_ file: [UInt8], context: OpaquePointer?) throws(PKCS12Problem) {
        OpenSSLErrorQueue.clear()
        // A file that is read into an object made in a context is deciphered in that context.
        var pkcs12 = PKCS12_init_ex(NID_pkcs7_data, context, nil)
        let isRead = OpenSSLBytes.read(file[...]) { d2i_PKCS12_bio($0, &pkcs12) } != nil
        guard isRead, let pkcs12 else {
            PKCS12_free(pkcs12)
            throw .damaged(OpenSSLErrorQueue.summary())
        }
        pointer = pkcs12
        self.context = context
    }

    deinit {
        PKCS12_free(pointer)
    }

    // MARK: The MAC, by which a wrong passphrase is known

    var hasMAC: Bool { PKCS12_mac_present(pointer) == 1 }

    /// Whether the passphrase is that of the MAC.
    func isMAC(by passphrase: SecretBuffer?) throws(PKCS12Problem) -> Bool {
        OpenSSLErrorQueue.clear()
        let isRight = passphrase.withCharacters { PKCS12_verify_mac(pointer, $0, $1) == 1 }
        let words = OpenSSLErrorQueue.drain().map(\.reason)
        if isRight { return true }
        // Of a MAC that is only different OpenSSL says nothing.
        if words.isEmpty || words == ["mac verify failure"] { return false }
        throw .algorithm([macAlgorithm?.names.first].compactMap { $0 })
    }

    private var macAlgorithm: PassphraseEncryption? {
        var algorithm: UnsafePointer<X509_ALGOR>?
        PKCS12_get0_mac(nil, &algorithm, nil, nil, pointer)
        return PassphraseEncryption(algorithm)
    }

    /// Refuses what would keep OpenSSL busy for hours, before it begins.
    func checkRounds() throws(PKCS12Problem) {
        var rounds: UnsafePointer<ASN1_INTEGER>?
        PKCS12_get0_mac(nil, nil, nil, &rounds, pointer)
        // -1 when it does not fit.
        let count = rounds.map { ASN1_INTEGER_get($0) } ?? 1
        guard (0...PassphraseEncryption.mostRounds).contains(count) else { throw .tooSlow(count < 0 ? Int.max : count) }
        if let macAlgorithm, macAlgorithm.isTooSlow { throw .tooSlow(macAlgorithm.rounds) }
    }

    // MARK: What is inside

    /// The keys and certificates; `mostRounds` is what deciphering all of them may cost.
    func contents(
        passphrase: SecretBuffer?, mostRounds: Int = PassphraseEncryption.mostRounds
    ) throws(PKCS12Problem) -> IdentityContents {
        OpenSSLErrorQueue.clear()
        guard let parts = PKCS12_unpack_authsafes(pointer) else { throw .damaged(OpenSSLErrorQueue.summary()) }
        defer { CSSL_PKCS7_stack_free(parts) }
        var reader = PKCS12BagReader(passphrase: passphrase, context: context, mostRounds: mostRounds)
        for index in 0..<max(0, CSSL_PKCS7_stack_count(parts)) {
            guard let part = CSSL_PKCS7_stack_value(parts, index) else { continue }
            try reader.read(part)
        }
        return reader.contents
    }
}

extension SecretBuffer? {
    /// Lends the characters and their number, as OpenSSL takes them; no address where there is no passphrase at all.
    func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
        guard let self else { return body(nil, 0) }
        return self.withBytes { bytes in
            body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count))
        }
    }
}
