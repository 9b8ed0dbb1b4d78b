import Testing

@testable import PushWire

@Suite struct VerifyingKeyTests {
    @Test func `the example of RFC 7515 appendix A-3 is verified`() throws {
        let key = try VerifyingKey(pem: RFC7515.publicKeyPEM)
        let signature = try #require(Base64URL.decode(RFC7515.signature))
        #expect(key.verify(signature: signature, over: RFC7515.signingInput.utf8, form: .raw))
        #expect(key.verify(signature: signature, over: RFC7515.signingInput.utf8))
        #expect(!key.verify(signature: signature, over: RFC7515.signingInput.utf8, form: .der))

        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.verify(signature: changed, over: RFC7515.signingInput.utf8))
        }
    }

    @Test func `DER as openssl signs is verified unless raw is asked for`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem")
        try openssl.write("message".utf8, to: "message")
        try openssl.run("dgst -sha256 -sign key.pem -out signature message")
        let signature = try openssl.read("signature")
        let key = try VerifyingKey(pem: openssl.read("key.pem"))
        #expect(key.verify(signature: signature, over: "message".utf8))
        #expect(key.verify(signature: signature, over: "message".utf8, form: .der))
        #expect(!key.verify(signature: signature, over: "message".utf8, form: .raw))
        #expect(!key.verify(signature: signature + [0], over: "message".utf8))
        #expect(!key.verify(signature: signature, over: "massage".utf8))
    }

    /// The hexadecimal digits of r and s, each padded on the left to 132, as PHP's JWT library does it for ES512.
    private static func padded(_ raw: some Collection<UInt8>) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 34)
        return zeros + raw.prefix(32) + zeros + raw.dropFirst(32)
    }

    @Test func `a SHA-512 hash with r and s of 66 bytes each is verified only where it is asked for`() throws {
        let openssl = try OpenSSLCommand()
        try openssl.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem")
        try openssl.write("message".utf8, to: "message")
        let key = try VerifyingKey(pem: openssl.read("key.pem"))
        func signature(_ hash: String) throws -> (der: [UInt8], raw: [UInt8]) {
            try openssl.run("dgst -\(hash) -sign key.pem -out signature message")
            let der = try openssl.read("signature")
            return (der, try #require(ECDSASignature.raw(der: der)))
        }
        let long = try signature("sha512")
        let short = try signature("sha256")
        func verifies(_ signature: [UInt8], _ form: VerifyingKey.SignatureForm) -> Bool {
            key.verify(signature: signature, over: "message".utf8, form: form)
        }
        #expect(verifies(Self.padded(long.raw), .padded512))
        #expect(!key.verify(signature: Self.padded(long.raw), over: "massage".utf8, form: .padded512))
        for other in [long.der, long.raw, short.der, short.raw, Self.padded(short.raw)] {
            #expect(!verifies(other, .padded512))
        }
        for other in [long.der, long.raw, Self.padded(long.raw), Self.padded(short.raw)] {
            #expect(!verifies(other, .rawOrDER))
        }
        #expect(verifies(short.der, .rawOrDER) && verifies(short.raw, .rawOrDER))
        for any in [long.der, long.raw, Self.padded(long.raw), short.der, short.raw, Self.padded(short.raw)] {
            #expect(key.madeInAnyForm(any, over: Array("message".utf8)))
            #expect(try !SigningKey.generate().verifyingKey.madeInAnyForm(any, over: Array("message".utf8)))
        }
    }

    @Test(arguments: [0, 1, 63, 64, 65, 72, 131, 132, 133, 5000])
    func `bytes that are no signature verify nothing`(count: Int) throws {
        let key = try VerifyingKey(pem: RFC7515.publicKeyPEM)
        for byte: UInt8 in [0x00, 0x30, 0xFF] {
            let signature = [UInt8](repeating: byte, count: count)
            #expect(!key.verify(signature: signature, over: RFC7515.signingInput.utf8))
            #expect(!key.verify(signature: signature, over: RFC7515.signingInput.utf8, form: .padded512))
        }
    }
}

/// RFC 7515 appendix A.3: a P-256 key, and a JWS signed with it.
private enum RFC7515 {
    static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    static let signingInput = """
        eyJhbGciOiJFUzI1NiJ9.\
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
        """
    static let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    /// SubjectPublicKeyInfo (RFC 5480): the fixed beginning for P-256, then the uncompressed point.
    static var publicKeyPEM: [UInt8] {
        let beginning: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let point = [x, y].flatMap { Base64URL.decode($0) ?? [] }
        // 91 bytes: the standard alphabet and its padding.
        let base64 = Base64URL.encode(beginning + point).replacing("-", with: "+").replacing("_", with: "/") + "=="
        let pem =
            "-----BEGIN PUBLIC KEY-----\n\(base64.prefix(64))\n\(base64.dropFirst(64))\n-----END PUBLIC KEY-----\n"
        return Array(pem.utf8)
    }
}
