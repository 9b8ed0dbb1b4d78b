internal import APNSVocabulary

// Mistakes between values: commas, colons and brackets.

extension JSONMistake {
    static func extraComma(_ offset: Int, _ problem: String) -> JSONMistake {
        let range = offset..<(offset + 1)
        return JSONMistake(
            kind: .extraComma, range: range, problem: problem, advice: "Remove it.", edits: [JSONEdit(range, "")])
    }

    static func notJSON(_ range: Range<Int>, _ problem: String, _ advice: String) -> JSONMistake {
        JSONMistake(kind: .notJSON, range: range, problem: problem, advice: advice)
    }
}

extension JSONReader {
    /// The range of the current byte; empty at the end.
    var here: Range<Int> { at..<min(at + 1, bytes.count) }

    // MARK: Colons and commas

    mutating func handleMissingColon(behind key: Range<Int>) throws(JSONMistake) {
        guard let byte = peek else { throw endsEarly(isComplete: false) }
        let name = PeerText.printable(String(decoding: bytes[key].prefix(42), as: UTF8.self))
        switch byte {
        case UInt8(ascii: "="):
            let isArrow = at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: ">")
            let range = at..<(at + (isArrow ? 2 : 1))
            try passOver(
                .missingColon, range, "A colon is missing between key and value", "Replace this with a colon.",
                edits: [JSONEdit(range, ":")])
            at = range.upperBound
        case UInt8(ascii: ","), UInt8(ascii: "}"):
            throw JSONMistake(
                kind: .missingValue, range: key, problem: "The key \(name) has no value",
                advice: "Add a value, or remove the key.")
        case _ where bytes[key].contains(UInt8(ascii: ":")):
            throw JSONMistake(
                kind: .unclosedText, range: key, problem: "The key that begins here has no closing quotation mark",
                advice: "Add a quotation mark before the colon.")
        case _ where beginsValue(byte):
            try passOver(
                .missingColon, key.upperBound..<at, "A colon is missing after the key \(name)", "Add a colon.",
                // Two strings may be an array in the wrong brackets.
                edits: byte == UInt8(ascii: "\"") ? [] : [.inserting(":", at: key.upperBound)])
        default:
            throw .notJSON(here, "A colon is missing after the key \(name)", "Add a colon.")
        }
    }

    mutating func handleMissingComma(closing bracket: Unicode.Scalar) throws(JSONMistake) {
        guard let byte = peek else { throw endsEarly(isComplete: true) }
        if byte == UInt8(ascii: ";") {
            try passOver(
                .missingComma, here, "A semicolon is used instead of a comma", "Replace it with a comma.",
                edits: [JSONEdit(here, ",")])
            at += 1
            return
        }
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            throw JSONMistake(
                kind: .wrongBracket, range: here,
                problem: "Expected \(bracket), found \(Character(Unicode.Scalar(byte)))",
                advice: "Close the bracket that was opened last: an array ends with ], an object with }.")
        }
        let endedText = lastValueEnd > 0 && bytes[lastValueEnd - 1] == UInt8(ascii: "\"")
        let mayFollow = bracket == "}" ? keyBegins : beginsValue(byte) && !(endedText && at == lastValueEnd)
        if mayFollow {
            let isCertain = bracket == "}" ? isNewMember(byte, endedText) : isNewElement(byte)
            try passOver(
                .missingComma, lastValueEnd..<max(at, lastValueEnd + 1),
                "A comma is missing between this value and the next", "Add a comma.",
                edits: isCertain ? [.inserting(",", at: lastValueEnd)] : [])
        } else if endedText {
            throw JSONMistake(
                kind: .unescapedQuote, range: (lastValueEnd - 1)..<lastValueEnd,
                problem: "The string ends at this quotation mark, but more text follows",
                advice: "Write \\\" for a quotation mark in a string, or move the closing quotation mark.")
        } else {
            throw .notJSON(here, "Expected a comma or \(bracket)", "Check the text before this position, too.")
        }
    }

    /// Whether a new member begins here. A word directly after a string may be part of the string.
    private func isNewMember(_ byte: UInt8, _ endedText: Bool) -> Bool {
        !endedText || at > lastValueEnd || byte == UInt8(ascii: "\"")
    }

    /// Whether a new element begins here. Text after a string, or after a number on the same line, may be part of it:
    /// 2026-11-22, 1 000.
    private func isNewElement(_ byte: UInt8) -> Bool {
        guard lastValueEnd > 0 else { return false }
        let isNumber = bytes[lastValueEnd - 1].isWordByte && byte != UInt8(ascii: "\"")
        if isNumber, bytes[lastValueEnd..<at].contains(where: { $0 == 0x0A || $0 == 0x0D }) { return true }
        let closers = [UInt8(ascii: "}"), UInt8(ascii: "]")]
        return closers.contains(bytes[lastValueEnd - 1]) && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
    }

    func beginsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-"), 0x30...0x39: true
        default: false
        }
    }

    /// Whether the text here can only be the key of another member.
    private var keyBegins: Bool {
        var offset = at
        switch bytes[at] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let mark = bytes[at]
            offset += 1
            while offset < bytes.count, bytes[offset] != mark, bytes[offset] >= 0x20 { offset += 1 }
            offset += 1
        default:
            while offset < bytes.count, bytes[offset].isWordByte { offset += 1 }
        }
        guard offset > at, offset < bytes.count else { return false }
        while offset < bytes.count, bytes[offset] == 0x20 { offset += 1 }
        return offset < bytes.count && bytes[offset] == UInt8(ascii: ":")
    }

    // MARK: Ends

    /// The mistake for a text that ends inside a value. The repair is certain only if the missing brackets have one
    /// possible position.
    func endsEarly(isComplete: Bool) -> JSONMistake {
        // After the last visible byte, not after the line break at the end of the file.
        let last = bytes.lastIndex { !WholeText.isSpace($0) } ?? -1
        let end = (last + 1)..<(last + 1)
        guard let open = nodes.indices.last(where: { nodes[$0].end < 0 }) else {
            return .notJSON(end, "The text is incomplete", "Add the missing part.")
        }
        let offset = TextPosition(of: Int(nodes[open].start), in: bytes)
        let bracket = nodes[open].kind == .array ? "[" : "{"
        let missing = closers
        // A number may be incomplete.
        let endsInNumber = last >= 0 && bytes[last].isWordByte && bytes[last] < UInt8(ascii: "A")
        let isCertain = isComplete && canOnlyCloseHere && !aCommentHasCloser && !endsInNumber
        return JSONMistake(
            kind: .missingBracket, range: end,
            problem: "The \(bracket) in line \(offset.line), column \(offset.column) isn't closed",
            advice: isComplete ? "Add \(missing) at the end, or at the correct position." : "Add the missing part.",
            edits: isCertain ? [.inserting(missing, at: end.lowerBound)] : [])
    }

    private var closers: String {
        nodes.reversed().filter { $0.end < 0 }.map { $0.kind == .array ? "]" : "}" }.joined()
    }

    /// Whether the missing brackets can only be at the end. A missing bracket may belong after any value of its
    /// container. So its position is certain only if each open container, except the outermost, has at most one value.
    private var canOnlyCloseHere: Bool {
        var node = 0
        while nodes[node].kind == .object || nodes[node].kind == .array {
            let end = nodes[node].next < 0 ? nodes.count : Int(nodes[node].next)
            var (child, count, last) = (node + 1, 0, node + 1)
            while child < end {
                (last, count) = (child, count + 1)
                child = nodes[child].next < 0 ? end : Int(nodes[child].next)
            }
            if count == 0 { return true }
            if node != 0, count > 1 { return false }
            node = last
        }
        return true
    }

    /// It may not be a comment then.
    private var aCommentHasCloser: Bool {
        mistakes.contains { mistake in
            mistake.kind == .comment
                && bytes[mistake.range].contains { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") }
        }
    }

    mutating func handleTextAfterEnd() throws(JSONMistake) {
        let rest = bytes.indices[at...].filter { !WholeText.isSpace(bytes[$0]) }
        let areClosers = rest.allSatisfy { bytes[$0] == UInt8(ascii: "}") || bytes[$0] == UInt8(ascii: "]") }
        let isSeparator = rest.count == 1 && (bytes[at] == UInt8(ascii: ",") || bytes[at] == UInt8(ascii: ";"))
        guard areClosers || isSeparator else {
            let isSecond = beginsValue(bytes[at])
            throw JSONMistake(
                kind: .textAfterEnd, range: here,
                problem: isSecond
                    ? "A second value begins after the end of the first" : "There is text after the end of the payload",
                advice: isSecond ? "A payload is one object: use one file for each payload." : "Remove it.")
        }
        try passOver(
            .textAfterEnd, here,
            areClosers ? "There is an extra bracket at the end" : "There is text after the end of the payload",
            "Remove it.", edits: rest.map { JSONEdit($0..<($0 + 1), "") })
        at = bytes.count
    }
}
