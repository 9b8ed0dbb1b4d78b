import APNSVocabulary
import Testing

@Suite struct DeviceTokenTests {
    @Test(arguments: ["ab", "AB", String(repeating: "0f", count: 32), String(repeating: "a", count: 200)])
    func `even hex of any documented length is taken as it is`(text: String) throws {
        #expect(try DeviceToken(text).hex == text)
    }

    @Test(arguments: [
        ("", DeviceTokenError.Code.empty),
        ("abc", .oddLength),
        (String(repeating: "a", count: 202), .tooLong),
        ("zz", .notHex),
        ("<abcd>", .notHex),
        ("q1w2e3r4q1w2e3r4q1w2e3r4q1w2e3r4q1w2e3r4q1w=", .base64),
    ])
    func `what is no token is told apart`(text: String, code: DeviceTokenError.Code) {
        #expect { try DeviceToken(text) } throws: { ($0 as? DeviceTokenError)?.code == code }
    }

    @Test func `an interpolated token shows its ends only`() throws {
        let token = try DeviceToken("0123456789abcdef0123456789abcdef")
        #expect("\(token)" == "01234567…cdef")
        #expect(String(reflecting: token) == "01234567…cdef")
    }

    @Test func `an error never shows a whole token`() throws {
        let long = "zz" + String(repeating: "a1", count: 31)
        let error = try #require(throws: DeviceTokenError.self) { try DeviceToken(long) }
        #expect(!error.description.contains(long))
    }

    @Test(arguments: ["ab\ncd", "\u{1}", "0f0f0f0f0f0f\u{1B}[2J0f", "\u{9B}31m0f0f0f0f0f0f"])
    func `an error spells control characters out, wherever they stand`(text: String) throws {
        let error = try #require(throws: DeviceTokenError.self) { try DeviceToken(text) }
        let isPrintable = error.description.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
        }
        #expect(isPrintable, "\(error.description.debugDescription)")
        #expect(error.code == .notHex)
    }

    @Test func `bytes become lower-case hex`() throws {
        #expect(try DeviceToken(bytes: [0x00, 0xAB, 0xFF]).hex == "00abff")
    }
}
