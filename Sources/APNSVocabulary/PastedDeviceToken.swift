extension DeviceToken {
    /// Finds the device token in a text, like ``PastedDeviceToken``: in a list, in a request, or on the command line. All of them accept
    /// the same forms.
    ///
    /// - Parameter text: The text.
    /// - Throws: ``DeviceTokenError`` if the text has no device token.
    package init(pasted text: String) throws(DeviceTokenError) {
        self = if let token = try? DeviceToken(text) { token } else { try PastedDeviceToken(text).token }
    }
}

/// A device token in pasted text: from a console line, in angle brackets, or with spaces.
package struct PastedDeviceToken: Sendable, Hashable {
    package let token: DeviceToken
    /// The removed parts of the text, as a sentence; `nil` if nothing was removed.
    package let note: String?

    /// Finds the device token in a text.
    ///
    /// The text can be the token itself, the old description of `NSData` (`<740f4707 bebcf74f …>`), or a console line
    /// that ends with one of them, such as `Registered with device token: …`.
    /// - Parameter text: The pasted text.
    /// - Throws: `DeviceTokenError` if the text has no device token.
    package init(_ text: String) throws(DeviceTokenError) {
        (token, note) = try Self.found(in: text)
    }

    private static func found(in text: String) throws(DeviceTokenError) -> (DeviceToken, note: String?) {
        let trimmed = trim(text)
        if let token = try? DeviceToken(trimmed) {
            return (token, trimmed == text ? nil : "spaces around the device token were dropped")
        }
        // A Firebase token has a colon in the middle.
        if let word = trimmed.split(whereSeparator: \.isWhitespace).last, DeviceTokenForm(String(word)) == .firebase {
            return (try DeviceToken(String(word)), nil)
        }
        if let (token, note) = inside(trimmed) { return (token, note) }
        // The error is about the text inside Optional(...).
        if case .optional? = DeviceTokenForm(trimmed) { return (try DeviceToken(trimmed), nil) }
        var rest = trimmed
        var notes: [String] = []
        if let colon = rest.lastIndex(of: ":") {
            rest = trim(String(rest[rest.index(after: colon)...]))
            notes.append("the words before the device token were dropped")
            if let (token, note) = inside(rest) { return (token, (notes + [note]).joined(separator: ", ")) }
        }
        // Two tokens are none.
        let words = rest.split(whereSeparator: \.isWhitespace)
        let areSeveral = words.count > 1 && words.contains { $0.utf8.count >= DeviceTokenForm.wholeLength }
        let bare = areSeveral ? rest : rest.filter { !" <>\t\u{201C}\u{201D}\"".contains($0) }
        if bare != rest { notes.append("brackets and spaces in the device token were dropped") }
        let found = try? DeviceToken(bare)
        if let found, found.hex.utf8.count >= leastDigits || trimmed.hasPrefix("<") {
            return (found, notes.joined(separator: ", "))
        }
        // There is no token. The error is about the digits if there are only digits, otherwise about the text around
        // them.
        return (try DeviceToken(found != nil ? trimmed : bare.allSatisfy(\.isHexDigit) ? bare : rest), nil)
    }

    /// Returns the token inside a description that Swift or Foundation prints.
    private static func inside(_ text: String) -> (DeviceToken, note: String)? {
        switch DeviceTokenForm(text) {
        case .optional(let inside):
            guard let pasted = try? PastedDeviceToken(inside) else { return nil }
            let note = "Optional(...) around the device token was dropped"
            return (pasted.token, [note, pasted.note].compactMap(\.self).joined(separator: ", "))
        case .dataDescription(let digits?):
            guard let token = try? DeviceToken(digits) else { return nil }
            return (token, "the description around the device token was dropped")
        case .base64OfHex(let digits):
            guard let token = try? DeviceToken(digits) else { return nil }
            return (token, "the base64 of the device token was decoded")
        default: return nil
        }
    }

    /// The minimum number of hex digits of a token among other text. Fewer digits are a word ("feed"), a time or a
    /// fingerprint, and are not accepted.
    private static let leastDigits = 32

    private static func trim(_ text: String) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}

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

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }

    static func problem(in text: String) -> DeviceTokenError? {
        if text.isEmpty {
            return .init(.empty, "The device token is empty: copy the hex digits that the app prints.")
        }
        if !HexDigits.areAll(text) {
            let shown = DeviceToken.shortened(text).printable
            if let form = DeviceTokenForm(text) { return form.problem(shown) }
            let character = text.first { $0.utf8.count > 1 || !($0.utf8.first ?? 0).isHexDigit } ?? " "
            let named = name(of: character)
            return .init(
                .notHex,
                """
                The device token "\(shown)" contains \(named), which isn't a hex digit: a token has only \
                0-9 and a-f.
                """)
        }
        let count = text.utf8.count
        guard count % 2 == 1 || count > APNSLimit.deviceTokenHexDigits else { return nil }
        let shown = DeviceToken.shortened(text)
        if count % 2 == 1 {
            return .init(
                .oddLength,
                """
                The device token "\(shown)" has \(count) hex digits, an odd number: copy the complete token \
                (app tokens have 64).
                """)
        }
        return .init(
            .tooLong,
            """
            The device token "\(shown)" has \(count) hex digits, more than \
            \(APNSLimit.deviceTokenHexDigits): check whether it is two tokens.
            """)
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
