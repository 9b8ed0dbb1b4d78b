import TestSupport
import Testing

/// Text with which a stranger could steer, forge or hide something on a terminal.
enum HostileText {
    /// One character of each kind, by what it does.
    static let characters: [Unicode.Scalar] = [
        "\u{1B}", "\u{07}", "\u{08}", "\u{0D}", "\u{7F}",  // C0 and DEL
        "\u{85}", "\u{90}", "\u{9B}", "\u{9D}",  // C1: next line, DCS, CSI, OSC
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}",  // embeddings and overrides
        "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",  // isolates
        "\u{200E}", "\u{200F}", "\u{061C}",  // marks
        "\u{2028}", "\u{2029}",  // separators
        "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}",  // without a width
        "\u{E0041}", "\u{FFF9}",  // a tag, an annotation
    ]

    /// All of them, with letters between.
    static let all = text(characters)

    /// Those that can stand in a header field of HTTP.
    static let inHeader = text(characters.filter { $0.value >= 0x80 })

    /// All of them in JSON, as escapes.
    static let inJSON = all.utf16.map { unit in
        unit >= 0x20 && unit < 0x7F ? String(Unicode.Scalar(UInt8(unit))) : escape(unit)
    }.joined()

    private static func text(_ characters: [Unicode.Scalar]) -> String {
        characters.map { "a\($0)" }.joined() + "z"
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Expects that none of it reached a terminal, and that no line is endless. Unicode's own categories decide, not ours.
    static func expectNone(
        in ended: Ended, mentions word: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = ended.output + ended.errors
        let found = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        let shown = found.map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
        #expect(found.isEmpty, "\(shown)", sourceLocation: sourceLocation)
        let longest = text.split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= 6000, sourceLocation: sourceLocation)
        if let word { #expect(text.contains(word), "\(text.debugDescription)", sourceLocation: sourceLocation) }
    }
}
