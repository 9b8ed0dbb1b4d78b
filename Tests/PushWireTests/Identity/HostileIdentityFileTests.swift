import TestSupport
import Testing

@testable import PushWire

@Suite struct HostileIdentityFileTests {
    let set: CertificateSet

    init() throws {
        set = try CertificateSet.shared()
    }

    @Test(arguments: ["universal.p12", "legacy.p12", "several.p12", "null-passphrase.p12"])
    func `a p12 cut off anywhere is refused`(name: String) throws {
        let file = try set.read(name)
        for count in stride(from: 1, to: file.count, by: 61) {
            #expect(throws: IdentityError.self, "\(count)") {
                try IdentityFile(p12: Array(file.prefix(count)), passphrase: .example)
            }
        }
    }

    @Test(arguments: ["universal.p12", "legacy.p12", "no-passphrase.p12"])
    func `a p12 changed anywhere ends no process, and never keeps it busy`(name: String) throws {
        let file = try set.read(name)
        // Every byte of the head and the tail, where lengths, algorithms and numbers of rounds stand.
        let interesting = Array(file.indices.prefix(160)) + Array(file.indices.suffix(120))
        for index in interesting {
            var changed = file
            changed[index] ^= 0x80
            _ = try? IdentityFile(p12: changed, passphrase: .example)
        }
    }

    @Test func `a PEM file cut off anywhere is refused, or lacks its end only`() throws {
        let file = try set.read("universal-combined.pem")
        for count in stride(from: 1, to: file.count - 40, by: 37) {
            #expect(throws: IdentityError.self, "\(count)") {
                try IdentityFile(certificate: Array(file.prefix(count)))
            }
        }
    }

    @Test func `more rounds than anybody needs are refused before they are begun`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.write(set.read("universal-combined.pem"), to: "c.pem")
        try openssl.run("pkcs12 -export -in c.pem -passout pass:example -out few.p12 -macalg sha256 -iter 3000")
        let file = try openssl.read("few.p12")
        // 3000 is 02 02 0B B8; four bytes of length make it a number of its own. The MAC's stands last.
        let at = try #require(file.indices.dropLast(3).last { Array(file[$0...($0 + 3)]) == [2, 2, 0x0B, 0xB8] })
        var many = file
        many[at + 2] = 0x7F
        many[at + 3] = 0xFF
        #expect(code(many) == .wrongPassphrase)
        let encryption = PassphraseEncryption(der: [0x30, 0x0B, 6, 1, 0x2A, 0x30, 6, 2, 4, 0x7F, 0xFF, 0xFF, 0xFF])
        #expect(encryption.isTooSlow)
        #expect(PassphraseEncryption(der: [0x30, 4, 2, 2, 0x0B, 0xB8]).rounds == 3000)
        #expect(PassphraseEncryption(der: [0x30, 12, 2, 10] + [UInt8](repeating: 0xFF, count: 10)).isTooSlow)
    }

    @Test func `scrypt counts by the product of its numbers, each of which may be small`() {
        // PBES2 with scrypt: a salt, and 2^17 blocks of 1, gone through 2^17 times.
        let numbers: [UInt8] = [4, 1, 0, 2, 3, 2, 0, 0, 2, 1, 1, 2, 3, 2, 0, 0]
        let scrypt: [UInt8] = [6, 9, 0x2B, 6, 1, 4, 1, 0xDA, 0x47, 4, 0x0B]
        let parts = scrypt + [0x30, UInt8(numbers.count)] + numbers
        let function = [0x30, UInt8(parts.count)] + parts
        let encryption = PassphraseEncryption(der: [0x30, UInt8(function.count)] + function)
        #expect(encryption.names == ["scrypt"])
        #expect(encryption.rounds == 1 << 34)
        #expect(encryption.isTooSlow)
        // Without its name they are numbers like others.
        #expect(PassphraseEncryption(der: [0x30, UInt8(numbers.count)] + numbers).rounds == 1 << 17)
    }

    @Test func `the rounds of all that is enciphered in a file count together`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.write(set.read("universal-combined.pem"), to: "c.pem")
        try openssl.run("pkcs12 -export -in c.pem -passout pass:example -out two.p12 -iter 3000")
        let file = try openssl.read("two.p12")
        let pkcs12 = try PKCS12(file, context: nil)
        #expect(try pkcs12.contents(passphrase: .example, maximumRounds: 6000).keys.count == 1)
        let problem = try #require(throws: PKCS12Failure.self) {
            try pkcs12.contents(passphrase: .example, maximumRounds: 5999)
        }
        guard case .tooSlow(6000) = problem else { return #expect(Bool(false), "\(problem)") }
    }

    @Test func `where the legacy provider is missing an old file is refused by its algorithm, a new one opens`() throws
    {
        let error = try #require(throws: IdentityError.self) {
            try IdentityFile(p12: set.read("legacy.p12"), passphrase: .example, legacy: { nil })
        }
        #expect(error.code == .legacyProviderMissing)
        #expect(error.description.contains("pbeWithSHA1And40BitRC2-CBC"))
        #expect(error.description.contains("openssl-provider-legacy"))
        let modern = try IdentityFile(p12: set.read("universal.p12"), passphrase: .example, legacy: { nil })
        #expect(modern.identities.count == 1)
    }

    @Test func `a folder without modules gives no legacy provider`() {
        #expect(LegacyProvider(modules: "/nonexistent") == nil)
        #expect(LegacyProvider() != nil)
    }

    @Test func `a p12 without a key, one without a certificate and one with another's key are distinguished`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.write(set.read("universal-certificate.pem"), to: "c.pem")
        try openssl.write(set.read("universal-key.pem"), to: "k.pem")
        try openssl.run("pkcs12 -export -in c.pem -nokeys -passout pass:example -out nokey.p12")
        #expect(code(try openssl.read("nokey.p12")) == .noPrivateKey)
        try openssl.run("pkcs12 -export -inkey k.pem -in k.pem -nocerts -passout pass:example -out nocert.p12")
        #expect(code(try openssl.read("nocert.p12")) == .noCertificate)
    }

    @Test func `a file from Apple that is not an identity is reported by its name`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.write(set.read("universal-certificate.pem"), to: "c.pem")
        try openssl.write(set.read("universal-key.pem"), to: "k.pem")
        try openssl.run("x509 -in c.pem -outform DER -out aps.cer")
        try openssl.run("req -new -key k.pem -subj /CN=x -outform DER -out r.der")
        try openssl.run("req -new -key k.pem -subj /CN=x -out r.pem")
        try openssl.run("pkey -in k.pem -outform DER -out k.der")
        try openssl.run(
            "smime -sign -in c.pem -signer c.pem -inkey k.pem -outform DER -nodetach -out p.mobileprovision")
        let cer = try openssl.read("aps.cer")
        for error in [problem { try IdentityFile(p12: cer) }, problem { try IdentityFile(certificate: cer) }] {
            #expect(error?.code == .noPrivateKey)
            #expect(error?.description.contains("Keychain Access, My Certificates") == true)
        }
        for (name, words) in [
            ("r.der", ".certSigningRequest"), ("k.der", "private key in DER"),
            ("p.mobileprovision", ".mobileprovision"),
        ] {
            let file = try openssl.read(name)
            #expect(problem { try IdentityFile(p12: file) }?.description.contains(words) == true, "\(name)")
            #expect(problem { try IdentityFile(certificate: file) }?.description.contains(words) == true, "\(name)")
        }
        let request = try openssl.read("r.pem")
        #expect(problem { try IdentityFile(certificate: request) }?.description.contains(".certSigningRequest") == true)
        // A certificate in DER is taken where its key comes in a file of its own.
        let identity = try IdentityFile(certificate: cer, key: openssl.read("k.pem")).identity()
        #expect(identity.certificate.topics.count == 3)
    }

    @Test(arguments: [
        "pkcs8 -topk8 -v2 aes-256-cbc", "pkcs8 -topk8 -v2 des3", "pkcs8 -topk8 -v1 PBE-MD5-DES -provider legacy",
        "pkcs8 -topk8 -scrypt", "rsa -traditional -aes128", "rsa -traditional -des3",
    ])
    func `keys encrypted in every usual way are read`(how: String) throws {
        let openssl = try OpenSSLCommand()
        let certificate = try set.read("universal-certificate.pem")
        try openssl.write(set.read("universal-key.pem"), to: "k.pem")
        let provider = how.contains("legacy") ? " -provider default" : ""
        try openssl.run("\(how)\(provider) -in k.pem -passout pass:example -out e.pem")
        let key = try openssl.read("e.pem")
        let identity = try IdentityFile(certificate: certificate, key: key, passphrase: .example).identity()
        #expect(identity.certificate.topics.count == 3)
        #expect(problem { try IdentityFile(certificate: certificate, key: key) }?.code == .passphraseNeeded)
        let wrong = SecretBuffer(String(repeating: "w", count: 1500).utf8)
        let error = problem { try IdentityFile(certificate: certificate, key: key, passphrase: wrong) }
        #expect(error?.code == .wrongPassphrase)
    }

    private func code(_ file: [UInt8]) -> IdentityError.Code? {
        problem { try IdentityFile(p12: file, passphrase: .example) }?.code
    }

    private func problem(_ body: () throws -> IdentityFile) -> IdentityError? {
        do { _ = try body() } catch { return error as? IdentityError }
        return nil
    }
}
