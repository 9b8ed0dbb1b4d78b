/// A device token as people copy it: from a console line, in angle brackets, with spaces.
public struct PastedDeviceToken: Sendable, Hashable {
    /// The token in it.
    public let token: DeviceToken
    /// What had to be taken away, in a sentence; `nil` when nothing had to.
    public let note: String?

    /// Finds the token in a text.
    ///
    /// Understood are the token itself, the description that `NSData` used to print (`<740f4707 bebcf74f …>`), and a
    /// console line that ends in either, such as `Registered with device token: …`.
    /// - Parameter text: What was pasted.
    /// - Throws: `DeviceTokenError` when there is none in it.
    public init(_ text: String) throws(DeviceTokenError) {
        let trimmed = Self.trim(text)
        if let token = try? DeviceToken(trimmed) {
            self.token = token
            note = trimmed == text ? nil : "spaces around the device token were dropped"
            return
        }
        // There is a colon in the middle of one of Firebase.
        if let word = trimmed.split(whereSeparator: \.isWhitespace).last, DeviceTokenForm(String(word)) == .firebase {
            token = try DeviceToken(String(word))
            note = nil
            return
        }
        if let (token, note) = Self.inside(trimmed) {
            (self.token, self.note) = (token, note)
            return
        }
        // The complaint is about what is inside.
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
        // None of these is a token. The complaint is about the digits where there are only digits, otherwise about the
        // words that they stand in.
        token = try DeviceToken(found != nil ? trimmed : bare.allSatisfy(\.isHexDigit) ? bare : rest)
        note = nil
    }

    /// The token in what Swift and Foundation print around one.
    private static func inside(_ text: String) -> (DeviceToken, note: String)? {
        switch DeviceTokenForm(text) {
        case .optional(let inside):
            guard let pasted = try? PastedDeviceToken(inside) else { return nil }
            let note = "Optional(...) around the device token was dropped"
            return (pasted.token, [note, pasted.note].compactMap(\.self).joined(separator: ", "))
        case .dataDescription(let digits?):
            guard let token = try? DeviceToken(digits) else { return nil }
            return (token, "the description around the device token was dropped")
        default: return nil
        }
    }

    /// Fewer digits among other characters are a word ("feed"), a time or a fingerprint, and no token.
    private static let leastDigits = 32

    private static func trim(_ text: String) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}
