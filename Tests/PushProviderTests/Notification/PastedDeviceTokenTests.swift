import PushProvider
import TestSupport
import Testing

@Suite struct PastedDeviceTokenTests {
    static let hex = DeviceToken.sampleHex
    /// As `NSData` used to describe itself.
    static let bracketed = "<740f4707 bebcf74f 9b7c25d4 8e335894 5f6aa01d a5ddb387 462c7eaf 61bb78ad>"

    static let firebase = "cR3fVq0aTk2dB1xYz9uWpL:APA91b" + String(repeating: "Hq7-x_K2", count: 16)

    /// As `echo TOKEN | base64` prints it.
    private static let base64OfHex = base64(Array("\(hex)\n".utf8))

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 { text.append(place <= part.count ? digits[bits >> (18 - 6 * place) & 63] : "=") }
        }
        return text
    }

    private static let words = "the words before the device token were dropped"
    private static let brackets = "brackets and spaces in the device token were dropped"

    private static let optional = "Optional(...) around the device token was dropped"
    private static let described = "the description around the device token was dropped"

    @Test(arguments: [
        (hex, nil),
        (hex.uppercased(), nil),
        (" \(hex)\n", "spaces around the device token were dropped"),
        (bracketed, brackets),
        ("\t\(bracketed)\r\n", brackets),
        (String(bracketed.dropFirst().dropLast()), brackets),
        ("\"\(hex)\"", brackets),
        ("\u{201C}\(hex)\u{201D}", brackets),
        ("Registered with device token: \(hex)", words),
        ("Registered with device token:\(hex)", words),
        ("Registered with device token: \(bracketed)", "\(words), \(brackets)"),
        ("Optional(\"\(hex)\")", optional),
        ("Token: Optional(\"\(hex)\")\n", "\(words), \(optional)"),
        ("Optional(\(bracketed))", "\(optional), \(brackets)"),
        ("{length = 32, bytes = 0x\(bracketed.dropFirst().dropLast()) }", described),
        (base64OfHex, "the base64 of the device token was decoded"),
        ("Optional({length = 32, bytes = 0x\(hex)})", "\(optional), \(described)"),
        ("2026-11-03 08:15:30.123 App[4711:42] Registered with device token: \(hex)\n", words),
    ])
    func `a token is found in what people copy, with a note`(text: String, note: String?) throws {
        let pasted = try PastedDeviceToken(text)
        #expect(pasted.token.hex.lowercased() == Self.hex)
        #expect(pasted.note == note)
    }

    @Test func `a token of any documented length is taken as it is`() throws {
        #expect(try PastedDeviceToken("0f").token.hex == "0f")
        #expect(try PastedDeviceToken("<0f0f 0f0f>").token.hex == "0f0f0f0f")
        #expect(try PastedDeviceToken(String(repeating: "a", count: 200)).note == nil)
        let long = String(repeating: "0f", count: 80)
        #expect(try PastedDeviceToken("device token: \(long)").token.hex == long)
    }

    @Test(arguments: [
        ("", DeviceTokenError.Code.empty),
        ("  \n", .empty),
        ("Registered with device token:", .empty),
        ("Registered with device token: ", .empty),
        ("dA9HB768909Lm3wl1I4zWJRfaqAdpd2zh0Ysfq9hu3it", .base64),
        ("dA9HB768909Lm3wl1I4zWJRfaqAdpd2zh0Ysfq9hu3it\n", .base64),
        ("Registered with device token: dA9HB768909Lm3wl1I4zWJRfaqAdpd2zh0Ysfq9hu3it", .base64),
        (String(hex.dropLast()), .oddLength),
        ("<740f4707 bebcf74>", .oddLength),
        ("Registered with device token: \(hex.dropLast())", .oddLength),
        ("\(hex)\(hex)\(hex)\(hex)", .tooLong),
        ("no token in this line", .notHex),
        ("the token", .notHex),
        ("token \(hex)", .notHex),
        ("\(hex)\n\(hex)", .notHex),
        ("{length = 32, bytes = 0x740f4707 bebcf74f 9b7c25d4 8e335894 ... 61bb78ad }", .description),
        ("token: {length = 32, bytes = 0x740f4707 bebcf74f 9b7c25d4 8e335894 ... 61bb78ad }", .description),
        ("32 bytes", .description),
        ("Registered with device token: 32 bytes", .description),
        ("Optional(32 bytes)", .description),
        ("ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", .otherService),
        ("My token: ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", .otherService),
        (firebase, .otherService), ("APA91b" + String(repeating: "Hq7-x_K2", count: 16), .otherService),
        ("FCM token: \(firebase)", .otherService),
        ("Optional(\"\(firebase)\")", .otherService),
        ("0e4f1a52-3b7d-4b0e-9c39-6cdb45a2d8f1", .otherService),
    ])
    func `text that is not a token is refused with its own code`(text: String, code: DeviceTokenError.Code) {
        #expect { try PastedDeviceToken(text) } throws: { ($0 as? DeviceTokenError)?.code == code }
    }

    /// Many words are made of hex digits; so are the minutes of a time and the bytes of a fingerprint.
    @Test(arguments: ["Note: feed", "dead beef", "added: a facade", "12:34", "74:0f:47:07:be:bc", "\"babe\""])
    func `hex digits within other words are no token`(text: String) {
        #expect(throws: DeviceTokenError.self) { try PastedDeviceToken(text) }
    }

    @Test(arguments: ["token \(hex)", "Registered with device token: <\(hex)x>", "\(hex)\n\(hex)"])
    func `no complaint shows a whole token`(text: String) throws {
        let error = try #require(throws: DeviceTokenError.self) { try PastedDeviceToken(text) }
        #expect(!error.description.contains(Self.hex.dropFirst(8).prefix(12)))
    }
}
