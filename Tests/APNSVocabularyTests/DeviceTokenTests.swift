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
    func `text that is not a token is refused with a specific code`(text: String, code: DeviceTokenError.Code) {
        #expect { try DeviceToken(text) } throws: { ($0 as? DeviceTokenError)?.code == code }
    }

    private static let line = #"deviceToken.map { String(format: "%02x", $0) }.joined()"#

    @Test(arguments: [
        ("Optional(\"abcd\")", DeviceTokenError.Code.description, line),
        ("32 bytes", .description, line),
        ("{length = 32, bytes = 0x740f4707 bebcf74f ... 61bb78ad }", .description, line),
        ("{length = 2, bytes = 0x740f }", .description, line),
        ("<740f4707 bebcf74f>", .notHex, "brackets or spaces"),
        ("740f4707 bebcf74f 9b7c25d4 8e335894 5f6aa01d", .notHex, "brackets or spaces"),
        ("ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", .otherService, "Expo"),
        ("ExpoPushToken[xxxxxxxxxxxxxxxxxxxxxx]", .otherService, "getDevicePushTokenAsync()"),
        (
            "cR3fVq0aTk2dB1xYz9uWpL:APA91b" + String(repeating: "Hq7-x_K2", count: 16), .otherService,
            "Messaging.messaging().apnsToken"
        ),
        ("0e4f1a52-3b7d-4b0e-9c39-6cdb45a2d8f1", .otherService, "UUID"),
    ])
    func `what people take for a token is named, with the way out`(
        text: String, code: DeviceTokenError.Code, words: String
    ) throws {
        let error = try #require(throws: DeviceTokenError.self) { try DeviceToken(text) }
        #expect(error.code == code)
        #expect(error.description.contains(words), "\(error)")
        #expect(!error.description.contains(text) || text.count <= 12)
    }

    /// Another mistake in similar text is reported as what it is.
    @Test(arguments: [
        "Optional(", "{length = 32}", "{length = x, bytes = 0x00 }", "32 byte", "x bytes", "a:APA91b", "0e4f1a52-3b7d",
    ])
    func `what is of no such form is not named as one`(text: String) throws {
        let error = try #require(throws: DeviceTokenError.self) { try DeviceToken(text) }
        #expect(error.code == .notHex)
        #expect(error.description.contains("which isn't a hex digit"))
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
