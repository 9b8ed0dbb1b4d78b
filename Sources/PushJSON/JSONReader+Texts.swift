internal import APNSVocabulary

// Strings, keys and literals that are not valid JSON.

extension JSONReader {
    // MARK: Instead of a key

    /// Reads a key that is not a JSON string; `nil` if there was only a comma, which is skipped.
    mutating func oddKey() throws(JSONMistake) -> Key? {
        guard let byte = peek else { throw endsEarly(isComplete: false) }
        if byte == UInt8(ascii: ",") {
            try passOver(.extraComma(at, "There is a comma before the first value"))
            at += 1
            return nil
        }
        if let contents = try oddText() {
            return Key(contents: contents, hasEscapes: bytes[contents].contains(UInt8(ascii: "\\")))
        }
        guard byte.isWordByte else { throw unexpected("a key in quotation marks") }
        return try bareKey()
    }

    private mutating func bareKey() throws(JSONMistake) -> Key {
        let start = at
        while let byte = peek, byte.isWordByte || byte == UInt8(ascii: "-") { at += 1 }
        let contents = start..<at
        var edits: [JSONEdit] = [.inserting("\"", at: start)]
        if !take("\"") { edits.append(.inserting("\"", at: at)) }
        var behind = at
        while behind < bytes.count, bytes[behind] == 0x20 || bytes[behind] == 0x09 { behind += 1 }
        guard behind < bytes.count, bytes[behind] == UInt8(ascii: ":") || bytes[behind] == UInt8(ascii: "=") else {
            throw .notJSON(contents, "Expected a key in quotation marks", "Check the text before this position, too.")
        }
        let name = PeerText.printable(String(decoding: bytes[contents].prefix(40), as: UTF8.self))
        try passOver(
            .unquotedKey, contents, "The key \(name) isn't in quotation marks",
            "Write \"\(name)\". In a shell, put the whole payload into single quotes.", edits: edits)
        return Key(contents: contents, hasEscapes: false)
    }

    // MARK: Instead of a value

    mutating func oddValue(_ first: UInt8, _ key: Key?) throws(JSONMistake) {
        switch first {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"):
            throw JSONMistake(
                kind: .missingValue, range: here,
                problem: "Expected a value, found \(Character(Unicode.Scalar(first)))",
                advice: "Add a value, or null for no value.")
        case UInt8(ascii: "+"), UInt8(ascii: "."): try oddNumber(from: at, key)
        default:
            if let contents = try oddText() { return add(oddText: contents, key) }
            guard first.isWordByte, !nodes.isEmpty else { throw unexpected("a value") }
            try oddWord(key)
        }
    }

    func unexpected(_ expected: String) -> JSONMistake {
        let isFirst = nodes.isEmpty
        switch peek {
        case UInt8(ascii: "<") where isFirst:
            return .notJSON(
                here, "This is HTML or XML", "Use a payload in JSON, such as {\"aps\":{\"alert\":\"Hello\"}}.")
        case UInt8(ascii: "\\"):
            return .notJSON(
                here, "A backslash is outside a string",
                "Check the quoting: in a shell, put the payload into single quotes, without backslashes.")
        default:
            let byte = peek ?? 0
            let shown = byte > 0x20 && byte < 0x7F ? ", found \(Character(Unicode.Scalar(byte)))" : ""
            return .notJSON(
                here, "Expected \(expected)\(shown)",
                isFirst
                    ? "Use a payload in JSON, such as {\"aps\":{\"alert\":\"Hello\"}}."
                    : "Check the text before this position, too.")
        }
    }

    private mutating func oddWord(_ key: Key?) throws(JSONMistake) {
        let start = at
        while let byte = peek, byte.isWordByte { at += 1 }
        let word = String(decoding: bytes[start..<at], as: UTF8.self)
        let (kind, meant): (JSONTree.Kind, String?)
        switch word {
        case "True", "TRUE": (kind, meant) = (.bool, "true")
        case "False", "FALSE": (kind, meant) = (.bool, "false")
        case "Null", "NULL", "None", "nil": (kind, meant) = (.null, "null")
        case "undefined": (kind, meant) = (.null, nil)
        case "NaN", "nan", "Infinity", "inf": return try noNumber(start..<at, key)
        default: return try bareText(from: start, key)
        }
        try passOver(
            .wrongWord, start..<at, "\(word) isn't a literal of JSON",
            meant.map { "Write \($0)." } ?? "Remove the key, or write null.",
            edits: meant.map { [JSONEdit(start..<at, $0)] } ?? [])
        add(kind, from: start, key, flag: meant == "true")
    }

    mutating func noNumber(_ range: Range<Int>, _ key: Key?) throws(JSONMistake) {
        try passOver(
            .notANumber, range, "\(String(decoding: bytes[range].prefix(40), as: UTF8.self)) doesn't exist in JSON",
            "Use a number, or remove the key.")
        add(.null, from: range.lowerBound, key)
    }

    /// Reads a string without quotation marks, up to the next comma, bracket, quotation mark or line break.
    private mutating func bareText(from start: Int, _ key: Key?) throws(JSONMistake) {
        let ends: [UInt8] = [0x22, 0x2C, 0x5D, 0x7D, 0x0A, 0x0D]
        at = bytes[start...].firstIndex { ends.contains($0) } ?? bytes.count
        guard let end = peek else { throw endsEarly(isComplete: false) }
        var last = at
        while last > start, bytes[last - 1] == 0x20 { last -= 1 }
        let contents = start..<last
        let isClosed = end == UInt8(ascii: "\"") && delimiterFollows(at + 1)
        if end == UInt8(ascii: "\""), !isClosed { throw unexpected("a comma") }
        try passOver(
            .unquotedText, contents, "A string isn't in quotation marks",
            isClosed ? "Add a quotation mark at its beginning." : "Put it in quotation marks.",
            edits: isClosed ? [.inserting("\"", at: start)] : [])
        if isClosed { at += 1 }
        add(oddText: contents, key)
    }

    // MARK: Other marks

    /// Reads a string in single or curly quotation marks.
    ///
    /// - Returns: The range between them; `nil` if no such string begins here.
    private mutating func oddText() throws(JSONMistake) -> Range<Int>? {
        guard let mark = QuotationMark(at: at, in: bytes), mark != .double else { return nil }
        let start = at
        var edits = [JSONEdit(start..<(start + mark.width), "\"")]
        var isCertain = true
        var offset = start + mark.width
        while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D {
            if let end = QuotationMark(at: offset, in: bytes) {
                if mark.mayEnd(with: end), delimiterFollows(offset + end.width) {
                    edits.append(JSONEdit(offset..<(offset + end.width), "\""))
                    try passOver(mark.mistake(start..<(offset + end.width), isCertain ? edits : []))
                    at = offset + end.width
                    return (start + mark.width)..<offset
                }
                // If the string has unescaped quotation marks inside, its last one may be part of the string, too.
                if mark.mayEnd(with: end) || end == .double && isBoundary(offset) { isCertain = false }
                if end == .double { edits.append(.inserting("\\", at: offset)) }
                offset += end.width
            } else if bytes[offset] == UInt8(ascii: "\\") {
                let escaped = offset + 1 < bytes.count ? bytes[offset + 1] : 0
                if escaped == UInt8(ascii: "'") { edits.append(JSONEdit(offset..<(offset + 1), "")) }
                if escaped >= 0x80 { isCertain = false }
                offset += 2
            } else {
                offset += 1
            }
        }
        throw unclosedText(from: start)
    }

    /// Whether a quotation mark is at a position where a string can begin or end.
    private func isBoundary(_ offset: Int) -> Bool {
        let before = bytes[..<offset].last { $0 != 0x20 && $0 != 0x09 } ?? 0
        return Array("{[,:".utf8).contains(before) || delimiterFollows(offset + 1)
    }

    private func delimiterFollows(_ start: Int) -> Bool {
        let next = bytes[min(start, bytes.count)...].first { !WholeText.isSpace($0) }
        guard let next else { return true }
        return [UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(next)
    }

    func unclosedText(from start: Int) -> JSONMistake {
        let lineEnd = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        for offset in (start + 1)..<max(lineEnd, start + 1) {
            guard let mark = QuotationMark(at: offset, in: bytes), mark == .curlyDouble,
                delimiterFollows(offset + mark.width)
            else { continue }
            // The curly mark may be part of the string, and the closing mark may be missing after it.
            return JSONMistake(
                kind: .curlyQuotes, range: offset..<(offset + mark.width),
                problem: "The string begins with \" and ends with a curly quotation mark",
                advice: "Replace the curly quotation mark with \", or add \" after it.")
        }
        return JSONMistake(
            kind: .unclosedText, range: start..<lineEnd,
            problem: "The string that begins here has no closing quotation mark",
            advice: "Add a quotation mark at the end of the string.")
    }

    // MARK: Within a text

    /// Handles a control character in the string that begins at `start`. One mistake covers all of them in the string.
    mutating func control(in start: Int) throws(JSONMistake) {
        guard at >= controlsReportedUpTo else {
            at += 1
            return
        }
        guard let end = closingQuote, delimiterFollows(end + 1) else { throw unclosedText(from: start) }
        let isBreak = bytes[at] == 0x0A || bytes[at] == 0x0D
        let offsets = (at..<end).filter { bytes[$0] < 0x20 }
        // A backslash before it may continue the string on the next line, as in JavaScript.
        let isCertain = !offsets.contains { bytes[$0 - 1] == UInt8(ascii: "\\") }
        let edits = offsets.map { JSONEdit($0..<($0 + 1), JSONEscapes.escape(bytes[$0])) }
        try passOver(
            .controlCharacter, here,
            isBreak
                ? "There is a line break in a string"
                : "There is a control character U+00\(JSONEscapes.hexDigits(bytes[at])) in a string",
            isBreak ? "Write \\n." : "Escape it, or remove it.", edits: isCertain ? edits : [])
        controlsReportedUpTo = end
        at += 1
    }

    private var closingQuote: Int? {
        var offset = at
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "\"") { return offset }
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    mutating func badEscape() throws(JSONMistake) {
        let escaped = bytes[at + 1]
        // A character outside ASCII or a line break is checked next.
        let range = at..<(at + (escaped >= 0x20 && escaped < 0x7F ? 2 : 1))
        let shown = PeerText.printable(String(decoding: bytes[range], as: UTF8.self))
        let isApostrophe = escaped == UInt8(ascii: "'")
        try passOver(
            .badEscape, range, "The escape \(shown) doesn't exist in JSON",
            isApostrophe
                ? "Write the apostrophe without a backslash."
                : "Write \\\\ for a backslash, and \\u with four hex digits for a character.",
            edits: isApostrophe ? [JSONEdit(range, "'")] : [])
        at = range.upperBound
    }

    mutating func badUnicode() throws(JSONMistake) {
        let isHalf = JSONEscapes.hex(at: at + 2, of: bytes[...]) != nil
        let range = at..<min(at + (isHalf ? 6 : 2), bytes.count)
        try passOver(
            .badEscape, range, isHalf ? "Half of a surrogate pair is missing" : "Expected four hex digits after \\u",
            isHalf ? "Write both halves, or the character itself." : "Write the character itself, or its four digits.")
        at = range.upperBound
    }
}

enum QuotationMark {
    /// The only one that JSON allows.
    case double
    case single
    case curlyDouble
    case curlySingle

    init?(at offset: Int, in bytes: [UInt8]) {
        switch bytes[offset] {
        case UInt8(ascii: "\""): self = .double
        case UInt8(ascii: "'"): self = .single
        case 0xE2 where offset + 2 < bytes.count && bytes[offset + 1] == 0x80:
            switch bytes[offset + 2] {
            case 0x9C...0x9F: self = .curlyDouble
            case 0x98...0x9B: self = .curlySingle
            default: return nil
            }
        default: return nil
        }
    }

    /// In bytes.
    var width: Int {
        switch self {
        case .double, .single: 1
        case .curlyDouble, .curlySingle: 3
        }
    }

    func mayEnd(with other: QuotationMark) -> Bool {
        switch self {
        case .double: other == .double
        case .single: other == .single
        case .curlyDouble: other == .curlyDouble || other == .double
        case .curlySingle: other == .curlySingle || other == .single
        }
    }

    func mistake(_ range: Range<Int>, _ edits: [JSONEdit]) -> JSONMistake {
        let isCurly = self == .curlyDouble || self == .curlySingle
        return JSONMistake(
            kind: isCurly ? .curlyQuotes : .singleQuotes, range: range,
            problem: "The string is in \(isCurly ? "curly" : "single") quotation marks",
            advice: "Write \" on both sides\(isCurly ? ", and turn off smart quotes in the editor" : "").",
            edits: edits)
    }
}
