import TestSupport
import Testing

@testable import PushWire

/// What people hand in instead of the key, and what the error says.
@Suite struct KeyErrorTests {
    @Test(arguments: ["", " \r\n\t\n"])
    func `an empty text is recognised`(text: String) {
        #expect(problem(Array(text.utf8)) == .empty)
    }

    @Test func `a label is quoted only if no part of a key can be in it`() {
        let label = "MIGTAgEAMBMGByqGSM49 CERTIFICATE"
        let file = Array("-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n".utf8)
        #expect(CredentialFileKind(file) == nil)
        let error = problem(file)
        #expect(error == .notPEM && error?.description.contains("MIGTAgEA") == false)
    }

    @Test(arguments: ["ABC123DEFG", "{\"key\": 1}", "-----BEGIN", "0", "-----BEGIN \u{1F511}-----"])
    func `text that is not PEM is recognised`(text: String) {
        #expect(problem(Array(text.utf8)) == .notPEM)
    }

    @Test func `an encrypted key of either form is recognised and never asks for its passphrase`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.run("ecparam -name prime256v1 -genkey -noout -out key.pem")
        try openssl.run("pkcs8 -topk8 -in key.pem -passout pass:secret -out new.pem")
        try openssl.run("ec -in key.pem -aes128 -passout pass:secret -out old.pem")
        for file in ["new.pem", "old.pem"] {
            let error = try #require(problem(openssl.read(file)))
            #expect(error == .encrypted)
            // What the sentence advises works.
            #expect(error.description.contains("openssl pkey -in ENCRYPTED -out DECRYPTED"))
            try openssl.run("pkey -in \(file) -out decrypted.pem -passin pass:secret")
            #expect(try problem(openssl.read("decrypted.pem")) == nil)
        }
    }

    @Test(arguments: [
        ("genrsa -out key.pem 2048", "This is an RSA key"),
        ("genrsa -traditional -out key.pem 2048", "This is an RSA key"),
        ("genpkey -algorithm RSA-PSS -out key.pem", "This is an RSA key"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key.pem", "the curve P-384"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521 -out key.pem", "the curve P-521"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1 -out key.pem", "the curve secp256k1"),
        ("genpkey -algorithm ED25519 -out key.pem", "This is a key for ED25519"),
        ("genpkey -algorithm X25519 -out key.pem", "This is a key for X25519"),
    ])
    func `another kind of key is named`(command: String, words: String) throws {
        let openssl = try OpenSSLCommand()
        try openssl.run(command)
        let error = try #require(problem(openssl.read("key.pem")))
        #expect(error.description.contains(words))
        #expect { try VerifyingKey(pem: openssl.read("key.pem")) } throws: { ($0 as? KeyError) == error }
    }

    @Test func `an RSA public key of either form does not verify`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.run("genrsa -out key.pem 2048")
        try openssl.run("rsa -in key.pem -pubout -out new.pem")
        try openssl.run("rsa -in key.pem -RSAPublicKey_out -out old.pem")
        for file in ["new.pem", "old.pem"] {
            #expect { try VerifyingKey(pem: openssl.read(file)) } throws: { ($0 as? KeyError) == .rsa }
        }
    }

    @Test func `a key cut off anywhere is damaged, and no cut crashes or passes`() throws {
        let pem = try SigningKey.generate().pem()
        let begin = "-----BEGIN PRIVATE KEY-----".utf8.count
        for count in begin..<(pem.count - 1) {
            let error = try #require(problem(Array(pem.prefix(count))), "\(count) of \(pem.count) bytes")
            #expect(error.description.hasPrefix("The key is incomplete or damaged"))
        }
    }

    @Test func `a key with a changed letter is damaged, or still the same key`() throws {
        let key = try SigningKey.generate()
        let pem = try key.pem()
        let body = "-----BEGIN PRIVATE KEY-----\n".utf8.count..<(pem.count - "-----END PRIVATE KEY-----\n".utf8.count)
        var damaged = 0
        for index in body where pem[index] != UInt8(ascii: "\n") {
            var changed = pem
            changed[index] = pem[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            if problem(changed) != nil {
                damaged += 1
            }
            // What passes differs in a version number only.
            else {
                #expect(try SigningKey(pem: changed).fingerprint == key.fingerprint)
            }
        }
        #expect(damaged > 150)
    }

    @Test func `lost line breaks are recognised where they cannot be restored`() throws {
        let text = String(decoding: try SigningKey.generate().pem(), as: UTF8.self)
        for variant in [text.replacing("\n", with: "%0A"), text.replacing("\n", with: "; ")] {
            #expect(problem(Array(variant.utf8)) == .lineBreaksLost)
        }
    }

    @Test func `a certificate is recognised in PEM and DER, and so is PKCS 12`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -subj /CN=x -out c.pem")
        try openssl.run("x509 -in c.pem -outform DER -out c.cer")
        try openssl.run("pkcs12 -export -in c.pem -inkey k -passout pass:secret -out c.p12")
        try openssl.run("req -new -key k -subj /CN=x -out request.pem")
        #expect(try problem(openssl.read("c.pem")) == .certificate)
        #expect(try problem(openssl.read("c.cer")) == .certificate)
        #expect(try problem(openssl.read("c.p12")) == .pkcs12)
        #expect(try problem(openssl.read("request.pem"))?.description.contains("CERTIFICATE REQUEST") == true)
        // A certificate beside its key is no problem.
        #expect(try problem(openssl.read("c.pem") + openssl.read("k")) == nil)
    }

    @Test func `a public key cannot sign`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.write(SigningKey.generate().pem(), to: "key.pem")
        try openssl.run("pkey -in key.pem -pubout -out public.pem")
        #expect(try problem(openssl.read("public.pem")) == .publicKey)
        try openssl.run("pkey -in key.pem -pubout -outform DER -out public.der")
        try openssl.run("pkey -in key.pem -outform DER -out private.der")
        try openssl.run("pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out pkcs8.der")
        #expect(try problem(openssl.read("public.der")) == .der(isPrivate: false))
        for file in ["private.der", "pkcs8.der"] {
            #expect(try problem(openssl.read(file)) == .der(isPrivate: true))
        }
    }

    @Test func `no sentence shows any of the key`() throws {
        let pem = try SigningKey.generate().pem()
        let secret = String(decoding: pem, as: UTF8.self).split(separator: "\n")[1]
        let errors = [Array(pem.dropLast(30)), Array(pem.dropLast(3)) + [UInt8(ascii: "%")], Array(secret.utf8)].map(
            problem)
        for error in errors {
            let sentence = try #require(error?.description)
            #expect(!sentence.contains(secret.prefix(8)))
            #expect(sentence.hasSuffix(".") || sentence.hasSuffix(")"))
        }
    }

    private func problem(_ file: [UInt8]) -> KeyError? {
        do throws(KeyError) {
            _ = try SigningKey(pem: file)
            return nil
        } catch {
            return error
        }
    }
}
