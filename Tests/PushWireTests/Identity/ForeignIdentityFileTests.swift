import Foundation
import TestSupport
import Testing

@testable import PushWire

/// Files of other programs than the one that makes the set.
@Suite struct ForeignIdentityFileTests {
    // MARK: openssl, and what it is rarely asked for

    @Test(arguments: ["-keypbe AES-256-CBC -certpbe AES-256-CBC", "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES"])
    func `letters outside of ASCII may stand in a passphrase`(encryption: String) throws {
        let openssl = try sampleFolder()
        try openssl.run("pkcs12 -export -in b.pem -passout pass:pässwörd-🔑 \(encryption) -out f.p12")
        let file = try openssl.read("f.p12")
        #expect(try IdentityFile(p12: file, passphrase: SecretBuffer("pässwörd-🔑".utf8)).identities.count == 1)
        #expect(code { try IdentityFile(p12: file, passphrase: .example) } == .wrongPassphrase)
    }

    @Test(arguments: [
        "-keypbe NONE -certpbe NONE", "-keypbe AES-128-CBC -certpbe NONE", "-keypbe AES-256-CBC -nomaciter",
        "-legacy -keypbe PBE-SHA1-RC2-40 -certpbe PBE-SHA1-RC4-128",
        "-legacy -keypbe PBE-MD5-DES -certpbe PBE-SHA1-RC2-128",
        "-macalg sha512", "-macalg sha1", "-keypbe CAMELLIA-256-CBC -certpbe ARIA-256-CBC",
    ])
    func `every encryption of openssl is read`(encryption: String) throws {
        let openssl = try sampleFolder()
        try openssl.run("pkcs12 -export -in b.pem -passout pass:example \(encryption) -out f.p12")
        let file = try openssl.read("f.p12")
        let identity = try IdentityFile(p12: file, passphrase: .example).identity()
        #expect(identity.certificate.topics.count == 3)
        #expect(identity.friendlyName == nil)
        #expect(code { try IdentityFile(p12: file, passphrase: SecretBuffer("wrong".utf8)) } == .wrongPassphrase)
    }

    @Test func `without a MAC a wrong passphrase is known by what comes out`() throws {
        let openssl = try sampleFolder()
        try openssl.run("pkcs12 -export -in b.pem -passout pass:example -nomac -out f.p12")
        let file = try openssl.read("f.p12")
        #expect(try IdentityFile(p12: file, passphrase: .example).identities.count == 1)
        #expect(code { try IdentityFile(p12: file, passphrase: SecretBuffer("wrong".utf8)) } == .wrongPassphrase)
        #expect(code { try IdentityFile(p12: file) } == .passphraseNeeded)
    }

    @Test func `a p12 with the certificates above its own has a chain`() throws {
        let openssl = try OpenSSLCommand()
        let chain = try openssl.makeChain()
        try openssl.write(chain.intermediate + chain.root, to: "above.pem")
        try openssl.run(
            "pkcs12 -export -in leaf.pem -inkey leaf.key -certfile above.pem -name mine -passout pass:example -out f.p12"
        )
        let identity = try IdentityFile(p12: openssl.read("f.p12"), passphrase: .example).identity()
        #expect(identity.name == "Leaf")
        #expect(identity.friendlyName == "mine")
        #expect(identity.chain.count == 1)
    }

    // MARK: keytool of Java

    @Test(
        .enabled(if: isInstalled("keytool"), "keytool is not installed"),
        arguments: [[], ["-J-Dkeystore.pkcs12.legacy"]])
    func `a keystore of Java is read, of today and of old`(options: [String]) throws {
        let folder = try OpenSSLCommand()
        try makeKeystore(folder, alias: "first", options)
        try makeKeystore(folder, alias: "second", options)
        let file = try IdentityFile(p12: folder.read("store.p12"), passphrase: .example)
        #expect(file.identities.map(\.friendlyName) == ["first", "second"])
        #expect(try file.identity(named: "second").certificate.topics == ["com.example.second"])
        let bytes = try folder.read("store.p12")
        #expect(code { try IdentityFile(p12: bytes, passphrase: SecretBuffer("changeit".utf8)) } == .wrongPassphrase)
        #expect(code { try IdentityFile(p12: bytes) } == .passphraseNeeded)
    }

    private func makeKeystore(_ folder: OpenSSLCommand, alias: String, _ options: [String]) throws {
        let name = "CN=Apple Push Services: com.example.\(alias), UID=com.example.\(alias), OU=ABCDE12345"
        try folder.run(
            program: "keytool",
            options + [
                "-genkeypair", "-alias", alias, "-keyalg", "RSA", "-keysize", "2048", "-dname", name, "-validity",
                "300",
                "-storetype", "PKCS12", "-keystore", "store.p12", "-storepass", CertificateSet.passphrase,
            ])
    }

    // MARK: cryptography of Python

    @Test(
        .enabled(if: hasCryptography, "there is no Python with cryptography: scripts/setup --for test makes one"),
        arguments: ["modern", "3des", "none"])
    func `a file of Python's cryptography is read`(encryption: String) throws {
        let python = try #require(Self.python)
        let folder = try OpenSSLCommand()
        try folder.write(CertificateSet.shared().read("universal-combined.pem"), to: "b.pem")
        try folder.run(program: python, ["-c", Self.program, encryption])
        let file = try folder.read("f.p12")
        let identity = try IdentityFile(p12: file, passphrase: encryption == "none" ? nil : .example).identity()
        #expect(identity.friendlyName == "from Python")
        #expect(identity.certificate.topics.count == 3)
        if encryption != "none" { #expect(code { try IdentityFile(p12: file) } == .passphraseNeeded) }
    }

    private static let program = """
        import sys
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.serialization import pkcs12
        pem = open("b.pem", "rb").read()
        key = serialization.load_pem_private_key(pem[pem.index(b"-----BEGIN PRIVATE"):], None)
        certificate = x509.load_pem_x509_certificate(pem)
        old = (serialization.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(2048)
               .key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC).hmac_hash(hashes.SHA1()))
        encryption = {
            "modern": serialization.BestAvailableEncryption(b"example"),
            "3des": old.build(b"example"),
            "none": serialization.NoEncryption(),
        }[sys.argv[1]]
        made = pkcs12.serialize_key_and_certificates(b"from Python", key, certificate, None, encryption)
        open("f.p12", "wb").write(made)
        """

    // MARK: Where they are

    private static let environment = ProcessInfo.processInfo.environment

    private static func isInstalled(_ name: String) -> Bool {
        (environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    private static let python: String? = {
        let file = environment["PUSHSEND_TEST_PYTHON"] ?? Repository.url(".build/venv/bin/python3").path()
        return FileManager.default.isExecutableFile(atPath: file) ? file : nil
    }()

    private static let hasCryptography: Bool = {
        guard let python, let folder = try? OpenSSLCommand() else { return false }
        return folder.succeeds(program: python, ["-c", "import cryptography"])
    }()

    /// `b.pem`: certificate and key.
    private func sampleFolder() throws -> OpenSSLCommand {
        let folder = try OpenSSLCommand()
        try folder.write(CertificateSet.shared().read("universal-combined.pem"), to: "b.pem")
        return folder
    }

    private func code(_ body: () throws -> IdentityFile) -> IdentityError.Code? {
        do { _ = try body() } catch { return (error as? IdentityError)?.code }
        return nil
    }
}
