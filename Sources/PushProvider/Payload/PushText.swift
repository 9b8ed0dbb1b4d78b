extension PushPayload {
    /// A text of an alert: the text itself, or a key that the app localizes.
    ///
    /// A string literal is the text itself: `title: "Order 42"`.
    public enum Text: Sendable, Hashable, ExpressibleByStringInterpolation {
        /// The text itself.
        case plain(String)
        /// A key of the app's `Localizable` table, and the values for its placeholders (`%@`, `%1$@`).
        case localized(String, arguments: [String] = [])

        /// Creates a text that is not localized.
        ///
        /// - Parameter value: The text.
        public init(stringLiteral value: String) { self = .plain(value) }
    }
}

extension PushPayload.Text {
    /// Writes the text into the object `alert`.
    ///
    /// - Parameters:
    ///   - alert: The object.
    ///   - name: The key for a plain text.
    ///   - prefix: The prefix of `loc-key` and `loc-args`: empty for the body, `title-` for the title.
    func write(to alert: inout [String: EncodedJSON], as name: String, prefix: String) {
        switch self {
        case .plain(let text): alert[name] = .text(text)
        case .localized(let key, let arguments):
            alert["\(prefix)loc-key"] = .text(key)
            if !arguments.isEmpty { alert["\(prefix)loc-args"] = .texts(arguments) }
        }
    }

    /// The JSON for Live Activities: the text, or an object with the key and the arguments.
    var tree: EncodedJSON {
        switch self {
        case .plain(let text): return .text(text)
        case .localized(let key, let arguments):
            var members = ["loc-key": EncodedJSON.text(key)]
            if !arguments.isEmpty { members["loc-args"] = .texts(arguments) }
            return .object(members)
        }
    }
}
