import TestSupport
import Testing

@testable import PushWire

@Suite struct IdentityFileTests {
    let set: CertificateSet

    init() throws {
        set = try CertificateSet.shared()
    }

    @Test(arguments: [
        "universal.p12", "legacy.p12", "sandbox.p12", "production.p12", "voip.p12", "plain.p12", "expiring.p12",
        "expired.p12",
    ])
    func `a file with its passphrase opens`(name: String) throws {
        let file = try IdentityFile(p12: set.read(name), passphrase: .example)
        let identity = try file.identity()
        #expect(file.identities.count == 1)
        #expect(identity.friendlyName == identity.certificate.commonName)
    }

    @Test func `the old encryption and that of today hold the same identity`() throws {
        let modern = try IdentityFile(p12: set.read("universal.p12"), passphrase: .example).identity()
        let legacy = try IdentityFile(p12: set.read("legacy.p12"), passphrase: .example).identity()
        #expect(modern.certificate == legacy.certificate)
    }

    @Test(arguments: ["no-passphrase.p12", "null-passphrase.p12"], [nil, SecretBuffer([])])
    func `no passphrase and an empty one are tried both`(name: String, passphrase: SecretBuffer?) throws {
        #expect(try IdentityFile(p12: set.read(name), passphrase: passphrase).identities.count == 1)
    }

    @Test(arguments: ["universal.p12", "legacy.p12"])
    func `a missing passphrase and a wrong one are distinguished`(name: String) throws {
        let file = try set.read(name)
        #expect(code { try IdentityFile(p12: file) } == .passphraseNeeded)
        #expect(code { try IdentityFile(p12: file, passphrase: SecretBuffer([])) } == .wrongPassphrase)
        #expect(code { try IdentityFile(p12: file, passphrase: SecretBuffer("exampl".utf8)) } == .wrongPassphrase)
        let long = SecretBuffer(String(repeating: "x", count: 5000).utf8)
        #expect(code { try IdentityFile(p12: file, passphrase: long) } == .wrongPassphrase)
    }

    @Test func `a passphrase for a file that has none is wrong`() throws {
        let file = try set.read("no-passphrase.p12")
        #expect(code { try IdentityFile(p12: file, passphrase: .example) } == .wrongPassphrase)
    }

    @Test func `of several identities one has to be named`() throws {
        let file = try IdentityFile(p12: set.read("several.p12"), passphrase: .example)
        let names = [
            "Apple Development IOS Push Services: com.example.app",
            "Apple Production IOS Push Services: com.example.app",
        ]
        #expect(file.names == names)
        let error = try #require(throws: IdentityError.self) { try file.identity() }
        #expect(error.code == .several)
        #expect(error.names == names)
        #expect(error.description.contains(names[1]))
        #expect(try file.identity(named: names[0]).name == names[0])
        #expect(try file.identity(named: "PRODUCTION").name == names[1])
        for name in ["com.example.app", "nobody", "apple \u{1B}[31m"] {
            #expect(code { try file.identity(named: name) } == .noSuchName)
        }
    }

    @Test func `the only identity may be named too, and not by another's name`() throws {
        let file = try IdentityFile(p12: set.read("universal.p12"), passphrase: .example)
        #expect(try file.identity(named: "example.app").name == file.names[0])
        #expect(code { try file.identity(named: "other") } == .noSuchName)
    }

    @Test func `certificate and key may lie in two PEM files or in one, and the key may be encrypted`() throws {
        let certificate = try set.read("universal-certificate.pem")
        let key = try set.read("universal-key.pem")
        let pair = try IdentityFile(certificate: certificate, key: key).identity()
        #expect(pair.certificate.topics.count == 3)
        let combined = try IdentityFile(certificate: set.read("universal-combined.pem")).identity()
        #expect(combined.certificate == pair.certificate)
        let encrypted = try set.read("universal-key-encrypted.pem")
        let opened = try IdentityFile(certificate: certificate, key: encrypted, passphrase: .example).identity()
        #expect(opened.certificate == pair.certificate)
        #expect(code { try IdentityFile(certificate: certificate, key: encrypted) } == .passphraseNeeded)
        let wrong = SecretBuffer("wrong".utf8)
        #expect(
            code { try IdentityFile(certificate: certificate, key: encrypted, passphrase: wrong) } == .wrongPassphrase)
    }

    @Test func `a certificate alone, a key alone and another's key are distinguished`() throws {
        let certificate = try set.read("universal-certificate.pem")
        let key = try set.read("universal-key.pem")
        #expect(code { try IdentityFile(certificate: certificate) } == .noPrivateKey)
        #expect(code { try IdentityFile(certificate: certificate, key: certificate) } == .noPrivateKey)
        #expect(code { try IdentityFile(certificate: certificate, key: Array("x".utf8)) } == .noPrivateKey)
        #expect(code { try IdentityFile(certificate: key) } == .noCertificate)
        #expect(code { try IdentityFile(certificate: key, key: key) } == .noCertificate)
        #expect(code { try IdentityFile(certificate: certificate, key: set.read("server.key")) } == .keyMismatch)
        #expect(code { try IdentityFile(certificate: set.read("server.pem"), key: key) } == .keyMismatch)
    }

    @Test func `p12 and PEM in each other's place are recognised`() throws {
        let p12 = try set.read("universal.p12")
        #expect(code { try IdentityFile(certificate: p12) } == .pkcs12)
        #expect(code { try IdentityFile(certificate: set.read("universal-certificate.pem"), key: p12) } == .pkcs12)
        #expect(code { try IdentityFile(p12: set.read("universal-combined.pem")) } == .pem)
    }

    @Test func `bytes that are nothing of the kind are refused`() throws {
        #expect(code { try IdentityFile(p12: []) } == .empty)
        #expect(code { try IdentityFile(p12: Array(" \n\t".utf8)) } == .empty)
        #expect(code { try IdentityFile(certificate: []) } == .empty)
        #expect(code { try IdentityFile(p12: Array("PK\u{3}\u{4} some archive".utf8)) } == .unknownFile)
        #expect(code { try IdentityFile(certificate: [0x30]) } == .unknownFile)
        #expect(code { try IdentityFile(p12: [0x30, 0xFF]) } == .unknownFile)
        #expect(code { try IdentityFile(p12: [UInt8](repeating: 0x30, count: (4 << 20) + 1)) } == .tooLarge)
        #expect(code { try IdentityFile(p12: [0x30, 0x80, 0x02, 0x01, 0x03]) } == .damaged)
    }

    private func code(_ body: () throws -> Any) -> IdentityError.Code? {
        do { _ = try body() } catch { return (error as? IdentityError)?.code }
        return nil
    }
}

extension SecretBuffer {
    /// The passphrase of the set.
    static let example = SecretBuffer(CertificateSet.passphrase.utf8)
}
