/// Why a text is not a device token.
public struct DeviceTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. New codes may be added.
    public struct Code: Hashable, Sendable {
        let name: String
        /// The text is empty.
        public static let empty = Code(name: "empty")
        /// A character is not a hex digit.
        public static let notHex = Code(name: "notHex")
        /// The number of hex digits is odd.
        public static let oddLength = Code(name: "oddLength")
        /// The text is longer than any device token in Apple's documentation.
        public static let tooLong = Code(name: "tooLong")
        /// The token is in base64 instead of hex.
        public static let base64 = Code(name: "base64")
        /// The text is a description of the token, such as `32 bytes`.
        public static let description = Code(name: "description")
        /// The token is from another service, such as Expo or Firebase.
        public static let otherService = Code(name: "otherService")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String

    static func problem(in text: String) -> DeviceTokenError? {
        if text.isEmpty {
            return .init(
                code: .empty, description: "The device token is empty: copy the hex digits that the app prints.")
        }
        if !HexDigits.areAll(text) {
            let shown = DeviceToken.shortened(text).printable
            if let form = DeviceTokenForm(text) { return form.problem(shown) }
            let character = text.first { $0.utf8.count > 1 || !($0.utf8.first ?? 0).isHexDigit } ?? " "
            let named = name(of: character)
            return .init(
                code: .notHex,
                description: """
                    The device token "\(shown)" contains \(named), which isn't a hex digit: a token has only \
                    0-9 and a-f.
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
                    The device token "\(shown)" has \(count) hex digits, an odd number: copy the complete token \
                    (app tokens have 64).
                    """
            )
        }
        return .init(
            code: .tooLong,
            description: """
                The device token "\(shown)" has \(count) hex digits, more than \
                \(APNSLimit.deviceTokenHexDigits): check whether it is two tokens.
                """
        )
    }

    /// A character in quotation marks; for an invisible character, its code point.
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
