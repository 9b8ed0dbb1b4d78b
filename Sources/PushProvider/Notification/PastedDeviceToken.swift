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
    /// - Throws: ``DeviceTokenError`` when there is none in it.
    public init(_ text: String) throws(DeviceTokenError) {
        let trimmed = Self.trim(text)
        if let token = try? DeviceToken(trimmed) {
            self.token = token
            note = trimmed == text ? nil : "spaces around the device token were dropped"
            return
        }
        var rest = Substring(trimmed)
        var notes: [String] = []
        if let colon = rest.lastIndex(of: ":") {
            rest = rest[rest.index(after: colon)...]
            notes.append("the words before the device token were dropped")
        }
        let bare = rest.filter { !" <>\t\u{201C}\u{201D}\"".contains($0) }
        if bare != rest.drop(while: { $0 == " " }) {
            notes.append("brackets and spaces in the device token were dropped")
        }
        guard let token = try? DeviceToken(String(bare)), !notes.isEmpty else {
            // The complaint is about what was pasted, not about what is left of it.
            self.token = try DeviceToken(notes.isEmpty ? trimmed : String(bare))
            note = nil
            return
        }
        self.token = token
        note = notes.joined(separator: ", ")
    }

    private static func trim(_ text: String) -> String {
        let front = text.drop(while: \.isWhitespace)
        let back = front.reversed().drop(while: \.isWhitespace)
        return String(String(back.reversed()))
    }
}
