/// The address of one app on one device: the hex digits in the path of a push request.
///
/// Any even number of hex digits up to 200 is taken. Apple asks senders twice not to assume a length: app tokens have
/// 64 digits today, those of Live Activities 160. The letter case is kept as given.
public struct DeviceToken: Hashable, Sendable {
    /// The digits, as given.
    public let hex: String

    /// Takes hex digits.
    ///
    /// - Parameter hex: An even number of hex digits, 2 to 200, without spaces or brackets.
    /// - Throws: ``DeviceTokenError``, which says what is wrong and names no more than the token's ends.
    public init(_ hex: String) throws(DeviceTokenError) {
        if let problem = DeviceTokenError.problem(in: hex) { throw problem }
        self.hex = hex
    }

    /// Takes the bytes that the app received from the system.
    ///
    /// - Parameter bytes: 1 to 100 bytes.
    /// - Throws: ``DeviceTokenError`` when there are none or too many.
    public init(bytes: some Sequence<UInt8>) throws(DeviceTokenError) {
        let digits = Array("0123456789abcdef".utf8)
        try self.init(
            String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        )
    }

    /// The first 8 and the last 4 digits: what logs and errors may show.
    public var shortened: String { Self.shortened(hex) }

    /// Shortens anything that may be a token, whole tokens being data about a person.
    ///
    /// - Parameter text: A token or what was taken for one.
    /// - Returns: The text itself up to 12 characters, otherwise its first 8, an ellipsis and its last 4.
    public static func shortened(_ text: String) -> String {
        var text = text
        let isToken = text.withUTF8 { $0.count > 12 && DeviceTokenError.isHex($0) }
        guard isToken else { return text.count <= 12 ? text : "\(text.prefix(8))…\(text.suffix(4))" }
        // Mostly it is one, and digits are bytes.
        return "\(Substring(text.utf8.prefix(8)))…\(Substring(text.utf8.suffix(4)))"
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The shortened token, so that an interpolation in a log gives nothing away.
    public var description: String { shortened }
    /// The shortened token.
    public var debugDescription: String { shortened }
}

/// Why a text is not a device token.
public struct DeviceTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// There is nothing.
        public static let empty = Code(word: "empty")
        /// A character is not a hex digit.
        public static let notHex = Code(word: "notHex")
        /// Half a byte is missing.
        public static let oddLength = Code(word: "oddLength")
        /// Longer than any token that Apple speaks of.
        public static let tooLong = Code(word: "tooLong")
        /// The bytes were written in base64 instead of hex.
        public static let base64 = Code(word: "base64")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String

    /// Over bytes in one piece: a view of a text takes four times as long, and each request is asked.
    private static func isHex(_ text: String) -> Bool {
        var text = text
        return text.withUTF8(isHex)
    }

    /// It looks at all of them, so that it can look at many at once.
    fileprivate static func isHex(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var others: UInt8 = 0
        for byte in text {
            let noDigit: UInt8 = byte &- UInt8(ascii: "0") < 10 ? 0 : 1
            let noLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 6 ? 0 : 1
            others |= noDigit & noLetter
        }
        return others == 0
    }

    static func problem(in text: String) -> DeviceTokenError? {
        if text.isEmpty {
            return .init(
                code: .empty, description: "The device token is empty: paste the hex digits that the app printed.")
        }
        if !isHex(text) {
            let shown = DeviceToken.shortened(text).printable
            if looksLikeBase64(text) {
                return .init(
                    code: .base64,
                    description: """
                        The device token "\(shown)" is base64, APNs wants hex: in the app, print \
                        deviceToken.map { String(format: "%02x", $0) }.joined().
                        """
                )
            }
            let stranger = text.first { $0.utf8.count > 1 || !($0.utf8.first ?? 0).isHexDigit } ?? " "
            let named = name(of: stranger)
            return .init(
                code: .notHex,
                description: """
                    The device token "\(shown)" holds \(named), which is not a hex digit: a token is made of \
                    0-9 and a-f only.
                    """
            )
        }
        let count = text.utf8.count
        guard count % 2 == 1 || count > APNSLimit.deviceTokenHexDigits else { return nil }
        let shown = DeviceToken.shortened(text)
        if count % 2 == 1 {
            return .init(
                code: .oddLength,
                description: """
                    The device token "\(shown)" has \(count) hex digits, an odd number: one was lost in copying \
                    (app tokens have 64).
                    """
            )
        }
        return .init(
            code: .tooLong,
            description: """
                The device token "\(shown)" has \(count) hex digits, more than the \
                \(APNSLimit.deviceTokenHexDigits) that any token has: perhaps two tokens were pasted together.
                """
        )
    }

    /// A character in quotes; one that does not show is named by its number.
    private static func name(of character: Character) -> String {
        let shown = String(character).printable
        if shown == String(character) { return "\"\(shown)\"" }
        let numbers = character.unicodeScalars.prefix(2).map { scalar in
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        return "the invisible character \(numbers.joined(separator: " "))"
    }

    /// 32 bytes in base64 are 44 characters (43 unpadded); shorter texts are more likely something else.
    private static func looksLikeBase64(_ text: String) -> Bool {
        let body = text.prefix { $0 != "=" }
        let padding = text.utf8.count - body.utf8.count
        guard padding <= 2, (40...140).contains(text.utf8.count) else { return false }
        // A few strange letters among hex digits are a slip; base64 has more of them than of hex digits.
        let strange = body.utf8.count { !$0.isHexDigit }
        return strange * 3 > body.utf8.count && body.utf8.allSatisfy { $0.isBase64Digit }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    fileprivate var isBase64Digit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
