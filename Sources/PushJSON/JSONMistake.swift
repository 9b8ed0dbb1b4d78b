/// Bytes that stand in the place of others.
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

    static func inserting(_ text: String, at place: Int) -> JSONEdit { JSONEdit(place..<place, text) }
}

/// Something in a text for which it is not JSON, where it stands, and what would mend it where that is certain.
package struct JSONMistake: Error, Hashable, Sendable {
    /// What sort of mistake it is. The words are the ids of the lint rules that tell of them.
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
    /// Where it stands.
    package var range: Range<Int>
    /// What is wrong, in a sentence without its full stop.
    package var problem: String
    /// What to do, in a sentence.
    package var advice: String
    /// What mends it, where that is certain; otherwise empty.
    package var edits: [JSONEdit] = []
}

/// Line and column of a byte.
package struct TextPlace: Hashable, Sendable {
    /// From 1.
    package var line: Int
    /// From 1, in bytes.
    package var column: Int

    init(line: Int, column: Int) {
        (self.line, self.column) = (line, column)
    }

    /// The offset counts from the first byte; the end of the text is a place too.
    package init(of offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<min(offset, bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        line = before.count { $0 == 0x0A } + 1
        column = before.count - lineStart + 1
    }
}
