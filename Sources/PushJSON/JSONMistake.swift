package struct JSONEdit: Hashable, Sendable {
    package var range: Range<Int>
    package var replacement: [UInt8]

    init(_ range: Range<Int>, _ replacement: [UInt8]) {
        self.range = range
        self.replacement = replacement
    }

    package init(_ range: Range<Int>, _ replacement: String) {
        self.init(range, Array(replacement.utf8))
    }

    static func inserting(_ text: String, at offset: Int) -> JSONEdit { JSONEdit(offset..<offset, text) }
}

/// A mistake that makes a text invalid JSON, with its range, and with a repair if that is certain.
package struct JSONMistake: Error, Hashable, Sendable {
    /// The raw value is the id of the lint rule.
    package enum Kind: String, CaseIterable, Sendable {
        case empty = "empty-payload"
        case byteOrderMark = "byte-order-mark"
        case wideEncoding = "utf-16"
        case invalidUTF8 = "invalid-utf8"
        case quotedPayload = "quoted-payload"
        case missingBraces = "missing-braces"
        case comment
        case oddSpace = "odd-space"
        case extraComma = "extra-comma"
        case missingComma = "missing-comma"
        case missingColon = "missing-colon"
        case missingValue = "missing-value"
        case missingBracket = "missing-bracket"
        case wrongBracket = "wrong-bracket"
        case textAfterEnd = "text-after-end"
        case unquotedKey = "unquoted-key"
        case unquotedText = "unquoted-text"
        case singleQuotes = "single-quotes"
        case curlyQuotes = "curly-quotes"
        case unclosedText = "unclosed-text"
        case unescapedQuote = "unescaped-quote"
        case controlCharacter = "control-character"
        case badEscape = "bad-escape"
        case wrongWord = "wrong-word"
        case notANumber = "not-a-number"
        case numberForm = "number-form"
        case nesting
        case notJSON = "not-json"
    }

    package var kind: Kind
    package var range: Range<Int>
    /// What is wrong: one sentence without its full stop.
    package var problem: String
    /// What to do: one sentence.
    package var advice: String
    /// The repair, if it is certain; otherwise empty.
    package var edits: [JSONEdit] = []

    /// What is wrong with a text that may be no payload, in a sentence.
    package func sentence(of noun: String, at place: String = "") -> String {
        "The \(noun) isn't JSON: \(problem.replacing("payload", with: noun))\(place)."
    }
}

package struct TextPosition: Hashable, Sendable {
    /// From 1.
    package var line: Int
    /// In bytes, from 1.
    package var column: Int

    package init(line: Int, column: Int) {
        (self.line, self.column) = (line, column)
    }

    /// The offset may be the end of the text.
    package init(of offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<min(offset, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        line = before.count { $0 == 0x0A } + 1
        column = before.count - lineStart + 1
    }
}

// The whole text must be read before it is known which repairs are certain.

extension [JSONMistake] {
    /// Returns the same mistakes without uncertain repairs.
    ///
    /// If the reading stopped early, or if it is uncertain where a string begins or ends, the rest may have been read
    /// incorrectly: a comma, a comment or a quotation mark may be part of a string. Then only a byte order mark at the
    /// beginning is repaired.
    /// - Parameter isWhole: Whether the whole text was read; closing brackets at the end may be missing.
    /// - Returns: The mistakes in the same order.
    func certain(isWhole: Bool) -> [JSONMistake] {
        guard !isWhole || contains(where: { $0.edits.isEmpty && $0.kind.isAboutBounds }) else { return self }
        return map { mistake in
            var mistake = mistake
            if mistake.kind != .byteOrderMark { mistake.edits = [] }
            return mistake
        }
    }
}

extension JSONMistake.Kind {
    /// Whether a mistake of this kind, if its repair is uncertain, makes it uncertain where a string begins or ends.
    fileprivate var isAboutBounds: Bool {
        switch self {
        case .singleQuotes, .curlyQuotes, .unquotedKey, .unquotedText, .unclosedText, .unescapedQuote, .comment,
            .missingComma:
            true
        case .empty, .byteOrderMark, .wideEncoding, .invalidUTF8, .quotedPayload, .missingBraces, .oddSpace,
            .extraComma, .missingColon,
            .missingValue, .missingBracket, .wrongBracket, .textAfterEnd, .controlCharacter, .badEscape, .wrongWord,
            .notANumber, .numberForm, .nesting, .notJSON:
            false
        }
    }
}
