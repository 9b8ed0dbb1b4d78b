internal import APNSVocabulary

// What people write who mean a placeholder. Each of these would be sent to everybody as it is, without a word.

/// A placeholder with a default that no line has a value for, so that everybody gets the default.
package struct UnfilledPlaceholder: Sendable, Hashable {
    /// The placeholder as it is in the payload: `{{nmae|there}}`.
    package var placeholder: String
    /// The placeholder with the name that is probably meant: `{{name|there}}`. `nil` if no unused name is similar.
    package var suggestion: String?

    package var description: String {
        with("No line has a value for \(placeholder), so everyone would get the default.")
    }

    /// What is wrong if only the first lines are known, as in a stream.
    package var descriptionForFirstLines: String {
        with("None of the first lines has a value for \(placeholder), so they would get the default.")
    }

    private func with(_ problem: String) -> String {
        suggestion.map { "\(problem) Did you mean \($0)?" } ?? problem
    }
}

extension PayloadTemplate {
    /// How many placeholders and how many names are compared, at most. Who has more of them didn't mistype one.
    private static let maximumCompared = 100

    /// Finds the placeholders with a default that have no value, and the names that are probably meant.
    ///
    /// - Parameters:
    ///   - given: The names that have a value.
    ///   - unused: The names of values that no placeholder uses.
    /// - Returns: The placeholders in the order of the template.
    package func unfilled(given: Set<String>, unused: [String]) -> [UnfilledPlaceholder] {
        let required = Set(namesWithoutDefault)
        let others = unused.lazy.filter { $0.utf8.count <= NearestName.longest }.prefix(Self.maximumCompared).map {
            (name: $0, folded: NearestName.folded($0), letters: Self.letters(of: $0))
        }
        let compared = Array(others)
        return names.filter { !required.contains($0) && !given.contains($0) }.enumerated().map { index, name in
            let (folded, letters) = (NearestName.folded(name), Self.letters(of: name))
            // `line1` is no misspelt `line2`.
            let others = compared.filter { $0.letters != letters || $0.folded == folded }.map(\.name)
            let meant = index < Self.maximumCompared ? NearestName.misspelt(name, of: others) : nil
            return UnfilledPlaceholder(
                placeholder: written(name, as: name), suggestion: meant.map { written(name, as: $0) })
        }
    }

    private static func letters(of name: String) -> String { NearestName.folded(name).filter { !$0.isNumber } }

    /// The placeholder of this name with another name, and with its default.
    private func written(_ name: String, as other: String) -> String {
        var fallback: [UInt8]?
        for piece in pieces {
            switch piece {
            case .text(let slot, let bytes?) where names[slot] == name: fallback = fallback ?? bytes
            case .value(let slot, _, let bytes?, _) where names[slot] == name:
                // The default of a whole text is JSON.
                let isText = bytes.first == UInt8(ascii: "\"") && bytes.count > 1
                fallback = fallback ?? (isText ? Array(bytes.dropFirst().dropLast()) : bytes)
            default: break
            }
        }
        let text = PeerText.printable(String(decoding: (fallback ?? []).prefix(40), as: UTF8.self))
        return "{{\(PeerText.printable(String(other.prefix(40))))|\(text)}}"
    }

    /// Finds one of these names in the way of another template language, such as `${name}`.
    ///
    /// - Parameter unused: The names of values that no placeholder uses. Without such a value, the text may be meant as it is.
    /// - Returns: What is wrong, in a sentence; `nil` if the payload has none of the names.
    package func foreignPlaceholder(unused: some Sequence<String>) -> String? {
        if foreign.isEmpty { return nil }
        for name in unused {
            guard let text = foreign[name.lowercased()] else { continue }
            let (name, shown) = (PeerText.printable(String(name.prefix(40))), PeerText.printable(text))
            return """
                The payload has \(shown), which would be sent as it is, and nothing uses the value "\(name)". A placeholder is \
                written {{\(name)}}.
                """
        }
        return nil
    }

    /// What is wrong with the default of a placeholder that is written as in Liquid or Jinja; `nil` if nothing is.
    ///
    /// Their filters stand where a default stands here: `{{ name | default: "there" }}`, `{{ name | capitalize }}`.
    static func filter(_ name: String, _ fallback: [UInt8]) -> String? {
        let text = String(decoding: fallback, as: UTF8.self)
        let words = text.drop { $0 == " " }
        let word = words.prefix { $0.isLetter || $0 == "_" }.lowercased()
        let next = words.dropFirst(word.count).drop { $0 == " " }.first
        let isFilter =
            ["default", "default_if_none"].contains(word)
            ? next == ":" || next == "(" || next == "\\"
            // One word alone may be meant as a text. Nobody begins a text with a space.
            : text.first == " " && next == nil && filters.contains(word)
        guard isFilter || text.first == "|" else { return nil }
        let name = PeerText.printable(String(name.prefix(100)))
        return """
            The placeholder {{\(name)|\(PeerText.printable(String(text.prefix(40))))}} is written for another template language. What \
            follows the bar is the default itself: {{\(name)|there}}.
            """
    }

    private static let filters: Set<String> = [
        "capitalize", "downcase", "e", "escape", "lower", "safe", "strip", "title", "trim", "truncate", "upcase",
        "upper",
        "urlencode",
    ]
}

/// Texts that are placeholders in other template languages.
struct ForeignPlaceholders {
    /// The texts by their names in lower case: `name` to `${name}`.
    private(set) var texts: [String: String] = [:]

    /// The maximum number of texts. Further ones are not looked for.
    private static let maximum = 100
    /// The maximum size of a name, in bytes. A longer text between two braces is no name.
    private static let longestName = 64

    /// How names are marked. The longer of two that begin alike comes first.
    private static let marks: [(opening: [UInt8], closing: [UInt8])] = [
        ("${", "}"), ("$(", ")"), ("#{", "}"), ("%{", "}"), ("%(", ")"), ("{$", "}"), ("{!", "}"), ("{", "}"),
        ("[[", "]]"), ("<%=", "%>"),
        ("<<", ">>"), ("<", ">"), ("«", "»"),
        ("*|", "|*"), ("((", "))"), ("%%", "%%"), ("%", "%"),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

    /// Looks for them in the constant parts of a template.
    init(_ pieces: [PayloadTemplate.Piece]) {
        for case .bytes(let bytes) in pieces {
            for start in bytes.indices where Self.begins.contains(bytes[start]) {
                guard texts.count < Self.maximum else { return }
                for mark in Self.marks where bytes[start...].starts(with: mark.opening) {
                    guard let (name, end) = Self.name(in: bytes, after: start + mark.opening.count, mark.closing) else {
                        continue
                    }
                    let text = String(decoding: bytes[start..<end], as: UTF8.self)
                    if texts[name.lowercased()] == nil { texts[name.lowercased()] = text }
                    break
                }
            }
        }
    }

    private static let begins = Set("${#%[<«*(".utf8)

    private static func name(
        in bytes: [UInt8], after start: Int, _ closing: [UInt8]
    ) -> (name: String, end: Int)? {
        let maximum = min(bytes.count, start + longestName)
        guard start < maximum else { return nil }
        for end in start..<maximum {
            // A text in JSON ends here.
            if bytes[end] == UInt8(ascii: "\"") { return nil }
            guard bytes[end...].starts(with: closing) else { continue }
            let name = String(decoding: bytes[start..<end], as: UTF8.self).split(separator: " ").joined(separator: " ")
            return name.isEmpty ? nil : (name, end + closing.count)
        }
        return nil
    }
}
