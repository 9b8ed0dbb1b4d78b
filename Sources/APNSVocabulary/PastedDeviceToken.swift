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
    /// The device token in the text.
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
        let trimmed = Self.trim(text)
        if let token = try? DeviceToken(trimmed) {
            self.token = token
            note = trimmed == text ? nil : "spaces around the device token were dropped"
            return
        }
        // A Firebase token has a colon in the middle.
        if let word = trimmed.split(whereSeparator: \.isWhitespace).last, DeviceTokenForm(String(word)) == .firebase {
            token = try DeviceToken(String(word))
            note = nil
            return
        }
        if let (token, note) = Self.inside(trimmed) {
            (self.token, self.note) = (token, note)
            return
        }
        // The error is about the text inside Optional(...).
        if case .optional? = DeviceTokenForm(trimmed) {
            token = try DeviceToken(trimmed)
            note = nil
            return
        }
        var rest = trimmed
        var notes: [String] = []
        if let colon = rest.lastIndex(of: ":") {
            rest = Self.trim(String(rest[rest.index(after: colon)...]))
            notes.append("the words before the device token were dropped")
            if let (token, note) = Self.inside(rest) {
                self.token = token
                self.note = (notes + [note]).joined(separator: ", ")
                return
            }
        }
        let bare = rest.filter { !" <>\t\u{201C}\u{201D}\"".contains($0) }
        if bare != rest { notes.append("brackets and spaces in the device token were dropped") }
        let found = try? DeviceToken(bare)
        if let found, found.hex.utf8.count >= Self.leastDigits || trimmed.hasPrefix("<") {
            token = found
            note = notes.joined(separator: ", ")
            return
        }
        // There is no token. The error is about the digits if there are only digits, otherwise about the text around
        // them.
        token = try DeviceToken(found != nil ? trimmed : bare.allSatisfy(\.isHexDigit) ? bare : rest)
        note = nil
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
