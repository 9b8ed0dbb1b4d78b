internal import CSSL

/// Reads the bags of a PKCS#12 file: each has a key or a certificate, plain or encrypted (RFC 7292 section 4.2).
struct PKCS12BagReader {
    let passphrase: SecretBuffer?
    let context: OpaquePointer?
    private let maximumRounds: Int
    private(set) var contents = IdentityContents()
    /// The number of hash rounds for all bags so far. A limit for each bag alone would not limit a file with many bags.
    private var rounds = 0

    /// The maximum depth of bags in bags. Deeper bags are ignored; no known program writes them.
    private static let deepest = 4

    init(passphrase: SecretBuffer?, context: OpaquePointer?, maximumRounds: Int) {
        self.passphrase = passphrase
        self.context = context
        self.maximumRounds = maximumRounds
    }

    /// Reads one part of the file: a list of bags, which may be encrypted as a whole. Parts for public keys are
    /// ignored.
    mutating func read(_ part: UnsafeMutablePointer<PKCS7>) throws(PKCS12Failure) {
        OpenSSLErrorQueue.clear()
        let bags: OpaquePointer?
        if let encryption = PassphraseEncryption(CSSL_PKCS7_encryption(part)) {
            try spend(encryption)
            bags = passphrase.withCharacters { PKCS12_unpack_p7encdata(part, $0, $1) }
            if bags == nil { throw problem(encryption) }
        } else if CSSL_PKCS7_is_plain(part) == 1 {
            bags = PKCS12_unpack_p7data(part)
        } else {
            return
        }
        guard let bags else { throw .damaged(OpenSSLErrorQueue.summary()) }
        defer { CSSL_PKCS12_bags_free(bags) }
        try read(bags: bags, depth: 0)
    }

    private mutating func read(bags: OpaquePointer, depth: Int) throws(PKCS12Failure) {
        for index in 0..<max(0, CSSL_PKCS12_bags_count(bags)) {
            guard let bag = CSSL_PKCS12_bags_value(bags, index) else { continue }
            try read(bag: bag, depth: depth)
        }
    }

    private mutating func read(bag: OpaquePointer, depth: Int) throws(PKCS12Failure) {
        OpenSSLErrorQueue.clear()
        switch PKCS12_SAFEBAG_get_nid(bag) {
        case NID_keyBag:
            try add(key: PKCS12_SAFEBAG_get0_p8inf(bag))
        case NID_pkcs8ShroudedKeyBag:
            let key = try deciphered(bag)
            defer { PKCS8_PRIV_KEY_INFO_free(key) }
            try add(key: key)
        case NID_certBag where PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
            guard let x509 = PKCS12_SAFEBAG_get1_cert(bag) else { throw .damaged(OpenSSLErrorQueue.summary()) }
            contents.certificates.append(
                .init(certificate: PEMCertificates.Certificate(x509), friendlyName: Self.friendlyName(of: bag)))
        case NID_safeContentsBag where depth < Self.deepest:
            if let inner = PKCS12_SAFEBAG_get0_safes(bag) { try read(bags: inner, depth: depth + 1) }
        default: break
        }
    }

    private mutating func deciphered(_ bag: OpaquePointer) throws(PKCS12Failure) -> OpaquePointer {
        var algorithm: UnsafePointer<X509_ALGOR>?
        X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(bag), &algorithm, nil)
        let encryption = PassphraseEncryption(algorithm)
        if let encryption { try spend(encryption) }
        let key = passphrase.withCharacters { PKCS12_decrypt_skey_ex(bag, $0, $1, context, nil) }
        guard let key else { throw problem(encryption) }
        return key
    }

    private mutating func spend(_ encryption: PassphraseEncryption) throws(PKCS12Failure) {
        guard !encryption.isTooSlow else { throw .tooSlow(encryption.rounds) }
        rounds += encryption.rounds
        guard rounds <= maximumRounds else { throw .tooSlow(rounds) }
    }

    /// Adds a key. A key with an algorithm that OpenSSL does not support is ignored, because its certificate cannot be
    /// used either.
    private mutating func add(key: OpaquePointer?) throws(PKCS12Failure) {
        guard let key else { throw .damaged("a key is missing") }
        // Use the default context, because TLS signs in it.
        guard let key = EVP_PKCS82PKEY(key) else {
            OpenSSLErrorQueue.clear()
            return
        }
        contents.keys.append(PrivateKey(taking: key))
    }

    /// The problem after a failed decryption: OpenSSL does not support an algorithm, or the passphrase is wrong.
    private func problem(_ encryption: PassphraseEncryption?) -> PKCS12Failure {
        OpenSSLErrorQueue.saysUnsupported() ? .algorithm(encryption?.names ?? []) : .passphrase
    }

    private static func friendlyName(of bag: OpaquePointer) -> String? {
        guard let text = PKCS12_get_friendlyname(bag) else { return nil }
        defer { CSSL_free(text) }
        let name = CertificateText.printable(String(cString: text).utf8)
        return name.isEmpty ? nil : name
    }
}
