internal import CSSL

/// Owns one `PKCS12`. Only one thread may use it at a time.
final class PKCS12 {
    private let pointer: OpaquePointer
    /// The OpenSSL context for decryption; `nil` for the default context.
    private let context: OpaquePointer?

    init(_ file: [UInt8], context: OpaquePointer?) throws(PKCS12Failure) {
        OpenSSLErrorQueue.clear()
        // The file is decrypted in the context in which this object is created.
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

    // MARK: The MAC, which detects a wrong passphrase

    var hasMAC: Bool { PKCS12_mac_present(pointer) == 1 }

    func isMAC(by passphrase: SecretBuffer?) throws(PKCS12Failure) -> Bool {
        OpenSSLErrorQueue.clear()
        let isRight = passphrase.withCharacters { PKCS12_verify_mac(pointer, $0, $1) == 1 }
        let message = OpenSSLErrorQueue.drain().map(\.reason)
        if isRight { return true }
        // OpenSSL may report no error if only the MAC differs.
        if message.isEmpty || message == ["mac verify failure"] { return false }
        throw .algorithm([macAlgorithm?.names.first].compactMap { $0 })
    }

    private var macAlgorithm: PassphraseEncryption? {
        var algorithm: UnsafePointer<X509_ALGOR>?
        PKCS12_get0_mac(nil, &algorithm, nil, nil, pointer)
        return PassphraseEncryption(algorithm)
    }

    /// Refuses a file that OpenSSL would need hours to open.
    func checkRounds() throws(PKCS12Failure) {
        var rounds: UnsafePointer<ASN1_INTEGER>?
        PKCS12_get0_mac(nil, nil, nil, &rounds, pointer)
        // The result is -1 if the number does not fit.
        let count = rounds.map { ASN1_INTEGER_get($0) } ?? 1
        guard (0...PassphraseEncryption.maximumRounds).contains(count) else {
            throw .tooSlow(count < 0 ? Int.max : count)
        }
        if let macAlgorithm, macAlgorithm.isTooSlow { throw .tooSlow(macAlgorithm.rounds) }
    }

    // MARK: What is inside

    /// Returns the keys and certificates. `maximumRounds` is the maximum number of hash rounds for all of them together.
    func contents(
        passphrase: SecretBuffer?, maximumRounds: Int = PassphraseEncryption.maximumRounds
    ) throws(PKCS12Failure) -> IdentityContents {
        OpenSSLErrorQueue.clear()
        guard let parts = PKCS12_unpack_authsafes(pointer) else { throw .damaged(OpenSSLErrorQueue.summary()) }
        defer { CSSL_PKCS7_stack_free(parts) }
        var reader = PKCS12BagReader(passphrase: passphrase, context: context, maximumRounds: maximumRounds)
        for index in 0..<max(0, CSSL_PKCS7_stack_count(parts)) {
            guard let part = CSSL_PKCS7_stack_value(parts, index) else { continue }
            try reader.read(part)
        }
        return reader.contents
    }
}

extension SecretBuffer? {
    /// Calls the closure with the characters and their number, for OpenSSL. The address is `nil` if there is no
    /// passphrase.
    func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
        guard let self else { return body(nil, 0) }
        return self.withBytes { bytes in
            body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count))
        }
    }
}
