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
        /// A description of the token instead of its digits, such as `32 bytes`.
        public static let description = Code(word: "description")
        /// It is another service's, such as one of Expo or Firebase.
        public static let otherService = Code(word: "otherService")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String

    static func problem(in text: String) -> DeviceTokenError? {
        if text.isEmpty {
            return .init(
                code: .empty, description: "The device token is empty: paste the hex digits that the app printed.")
        }
        if !HexDigits.areAll(text) {
            let shown = DeviceToken.shortened(text).printable
            if let form = DeviceTokenForm(text) { return form.problem(shown) }
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
}
