import PushWire
import Testing

@Suite struct Base64URLTests {
    /// RFC 4648 section 10, and one that shows the alphabet.
    static let pairs: [(String, [UInt8])] = [
        ("", []), ("Zg", Array("f".utf8)), ("Zm8", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
        ("Zm9vYg", Array("foob".utf8)), ("Zm9vYmE", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)),
        ("-_-_", [0xFB, 0xFF, 0xBF]),
    ]

    @Test(arguments: pairs)
    func `the examples of RFC 4648 go both ways`(text: String, bytes: [UInt8]) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        #expect(Base64URL.decode(padded) == bytes)
    }

    @Test func `both alphabets are read`() {
        #expect(Base64URL.decode("+/-_") == Base64URL.decode("-_+/"))
    }

    @Test(arguments: [
        "Z", "Zm9vY", "Zg=", "Zg===", "=", "====", "Z===", "Zg==Zg==", "Zm9v====", "Zm 9", "Zm9v\n", "Zé", "Zh",
    ])
    func `what is not base64 is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `every byte survives`() {
        for count in 0...5 {
            for byte in 0...UInt8.max {
                let bytes = [UInt8](repeating: byte, count: count)
                #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            }
        }
    }
}
