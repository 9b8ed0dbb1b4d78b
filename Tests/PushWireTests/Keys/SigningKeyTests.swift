import PushWire
import Testing

@Suite struct SigningKeyTests {
    @Test func `openssl verifies what we sign`() throws {
        let openssl = try OpenSSLCommand()
        let key = try SigningKey.generate()
        try openssl.write(key.pem(), to: "key.pem")
        try openssl.run("pkey -in key.pem -pubout -out public.pem")
        let signature = try key.sign("header.claims".utf8)
        #expect(signature.count == 64)
        try openssl.write("header.claims".utf8, to: "message")
        try openssl.write(derSequence(signature), to: "signature")
        try openssl.run("dgst -sha256 -verify public.pem -signature signature message")
    }

    @Test func `a signature is ours only over the same message`() throws {
        let key = try SigningKey.generate()
        let signature = try key.sign("header.claims".utf8)
        #expect(key.verifyingKey.verify(signature: signature, over: "header.claims".utf8))
        #expect(!key.verifyingKey.verify(signature: signature, over: "header.claimz".utf8))
        #expect(try !SigningKey.generate().verifyingKey.verify(signature: signature, over: "header.claims".utf8))
    }

    /// r or s begins with a zero byte in every 128th signature, and must still be 32 bytes long.
    @Test func `every signature has 64 bytes`() throws {
        let key = try SigningKey.generate()
        for number in 0..<600 {
            let message = Array("\(number)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.verifyingKey.verify(signature: signature, over: message, form: .raw))
        }
    }

    @Test func `a written key is read as the same key`() throws {
        let key = try SigningKey.generate()
        let again = try SigningKey(pem: key.pem())
        #expect(again.fingerprint == key.fingerprint)
        #expect(again.verifyingKey.fingerprint == key.fingerprint)
        #expect(key.fingerprint.count == 64)
        #expect(try SigningKey.generate().fingerprint != key.fingerprint)
    }

    @Test func `its fingerprint is that of the public key as openssl writes it`() throws {
        let openssl = try OpenSSLCommand()
        let key = try SigningKey.generate()
        try openssl.write(key.pem(), to: "key.pem")
        try openssl.run("pkey -in key.pem -pubout -outform DER -out public.der")
        let printed = try openssl.run("dgst -sha256 -r public.der")
        #expect(printed.hasPrefix(key.fingerprint))
    }

    /// Apple's files name the curve in the inner key too, where OpenSSL leaves it out.
    @Test func `Apple's form is read as the same key`() throws {
        let openssl = try OpenSSLCommand()
        let key = try SigningKey.generate()
        try openssl.write(key.pem(), to: "key.p8")
        let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        try openssl.run("pkcs8 -in key.p8 -topk8 -nocrypt -outform DER -out whole.der")
        var whole = Array(try openssl.read("whole.der"))
        #expect(whole.count == 138)
        whole.insert(contentsOf: curve, at: 68)
        // The lengths of the three that hold it.
        for index in [2, 28, 30] { whole[index] += 12 }
        try openssl.write(whole, to: "apple.der")
        try openssl.run("base64 -in apple.der -out apple.base64")
        let text = String(decoding: try openssl.read("apple.base64"), as: UTF8.self)
        let pem = "-----BEGIN PRIVATE KEY-----\n\(text)-----END PRIVATE KEY-----\n"
        try openssl.write(pem.utf8, to: "apple.p8")
        try openssl.run("pkey -in apple.p8 -noout -check")
        let again = try SigningKey(pem: Array(pem.utf8))
        #expect(again.fingerprint == key.fingerprint)
        let signature = try again.sign("header.claims".utf8)
        #expect(key.verifyingKey.verify(signature: signature, over: "header.claims".utf8))
    }

    @Test func `PKCS 8 and the older form are the same key, whatever surrounds them`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.run("ecparam -name prime256v1 -genkey -out sec1.pem")
        try openssl.run("pkcs8 -topk8 -nocrypt -in sec1.pem -out key.p8")
        try openssl.run("pkey -in key.p8 -pubout -out public.pem")
        let key = try SigningKey(pem: openssl.read("key.p8"))
        // The older file holds a block of EC PARAMETERS in front.
        #expect(try SigningKey(pem: openssl.read("sec1.pem")).fingerprint == key.fingerprint)
        #expect(try VerifyingKey(pem: openssl.read("public.pem")).fingerprint == key.fingerprint)
        #expect(try VerifyingKey(pem: openssl.read("key.p8")).fingerprint == key.fingerprint)

        let text = String(decoding: try openssl.read("key.p8"), as: UTF8.self)
        for variant in [
            "\u{FEFF}" + text, text.replacing("\n", with: "\r\n"), "Bag Attributes\n  " + text + "\n\n",
            String(text.dropLast()),
        ] {
            #expect(try SigningKey(pem: Array(variant.utf8)).fingerprint == key.fingerprint)
        }
    }

    @Test func `many tasks sign with one key`() async throws {
        let key = try SigningKey.generate()
        let valid = try await withThrowingTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    let message = Array("\(number)".utf8)
                    return key.verifyingKey.verify(signature: try key.sign(message), over: message)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(valid == 64)
    }
}

/// X.690: both numbers as INTEGERs, without needless zeros and with one where they would look negative.
private func derSequence(_ raw: [UInt8]) -> [UInt8] {
    let numbers = [raw.prefix(32), raw.suffix(32)].flatMap { half -> [UInt8] in
        var number = Array(half.drop { $0 == 0 })
        if (number.first ?? 0x80) >= 0x80 { number.insert(0, at: 0) }
        return [0x02, UInt8(number.count)] + number
    }
    return [0x30, UInt8(numbers.count)] + numbers
}
