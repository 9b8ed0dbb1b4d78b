/// A line of an alert: a text, or the key under which the app has it in each language.
///
/// Where one is expected a literal will do: `title: "Order 42"`.
public enum PushText: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The text itself.
    case plain(String)
    /// A key of the app's `Localizable` table, and what its placeholders (`%@`, `%1$@`) stand for.
    case localized(String, arguments: [String] = [])

    /// The text itself.
    public init(stringLiteral value: String) { self = .plain(value) }
}

extension PushText {
    /// Writes the line into `alert`, under the names that it has there.
    ///
    /// - Parameters:
    ///   - alert: The object that it is a part of.
    ///   - name: Its name where it is a text.
    ///   - prefix: What stands before `loc-key`: nothing for the body, `title-` for the title.
    func write(to alert: inout [String: EncodedJSON], as name: String, prefix: String) {
        switch self {
        case .plain(let text): alert[name] = .text(text)
        case .localized(let key, let arguments):
            alert["\(prefix)loc-key"] = .text(key)
            if !arguments.isEmpty { alert["\(prefix)loc-args"] = .texts(arguments) }
        }
    }

    /// The form of Live Activities: the text, or an object with the key.
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
