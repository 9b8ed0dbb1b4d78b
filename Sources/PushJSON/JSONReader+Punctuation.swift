internal import APNSVocabulary

// What stands between values, where it is not what JSON has there.

extension JSONMistake {
    static func extraComma(_ place: Int, _ problem: String) -> JSONMistake {
        let range = place..<(place + 1)
        return JSONMistake(
            kind: .extraComma, range: range, problem: problem, advice: "Remove it.", edits: [JSONEdit(range, "")])
    }

    static func notJSON(_ range: Range<Int>, _ problem: String, _ advice: String) -> JSONMistake {
        JSONMistake(kind: .notJSON, range: range, problem: problem, advice: advice)
    }
}

extension JSONReader {
    /// One byte, or none at the end.
    var here: Range<Int> { at..<min(at + 1, bytes.count) }

    // MARK: Colons and commas

    /// There is no colon behind a key.
    mutating func noColon(behind key: Range<Int>) throws(JSONMistake) {
        guard let byte = peek else { throw endsEarly(isComplete: false) }
        let name = PeerText.printable(String(decoding: bytes[key].prefix(42), as: UTF8.self))
        switch byte {
        case UInt8(ascii: "="):
            let isArrow = at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: ">")
            let range = at..<(at + (isArrow ? 2 : 1))
            try passOver(
                JSONMistake(
                    kind: .missingColon, range: range, problem: "Key and value are separated by a colon",
                    advice: "Put a colon there.", edits: [JSONEdit(range, ":")]))
            at = range.upperBound
        case UInt8(ascii: ","), UInt8(ascii: "}"):
            throw JSONMistake(
                kind: .missingValue, range: key, problem: "The key \(name) has no value",
                advice: "Give it one, or remove it.")
        case _ where bytes[key].contains(UInt8(ascii: ":")):
            throw JSONMistake(
                kind: .unclosedText, range: key, problem: "The key that begins here has no closing quotation mark",
                advice: "Put one before the colon.")
        case _ where beginsValue(byte):
            try passOver(
                JSONMistake(
                    kind: .missingColon, range: key.upperBound..<at,
                    problem: "There is no colon behind the key \(name)",
                    advice: "Put one there.",
                    // Two texts may be a list in the wrong brackets.
                    edits: byte == UInt8(ascii: "\"") ? [] : [.inserting(":", at: key.upperBound)]))
        default:
            throw .notJSON(here, "A colon was expected behind the key \(name)", "Put one there.")
        }
    }

    /// A value is followed by neither a comma nor the end of what it is in.
    mutating func noComma(closing bracket: Unicode.Scalar) throws(JSONMistake) {
        guard let byte = peek else { throw endsEarly(isComplete: true) }
        if byte == UInt8(ascii: ";") {
            try passOver(
                JSONMistake(
                    kind: .missingComma, range: here, problem: "Values are separated by commas",
                    advice: "Put a comma there.", edits: [JSONEdit(here, ",")]))
            at += 1
            return
        }
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            throw JSONMistake(
                kind: .wrongBracket, range: here,
                problem: "\(Character(Unicode.Scalar(byte))) stands where \(bracket) was expected",
                advice: "Close what was opened last: a list ends with ], an object with }.")
        }
        let endedText = lastEnd > 0 && bytes[lastEnd - 1] == UInt8(ascii: "\"")
        let mayFollow = bracket == "}" ? keyBegins : beginsValue(byte) && !(endedText && at == lastEnd)
        if mayFollow {
            let isCertain = bracket == "}" ? isNewMember(byte, endedText) : isNewElement(byte)
            try passOver(
                JSONMistake(
                    kind: .missingComma, range: lastEnd..<max(at, lastEnd + 1),
                    problem: "There is no comma between this value and the next", advice: "Put one there.",
                    edits: isCertain ? [.inserting(",", at: lastEnd)] : []))
        } else if endedText {
            throw JSONMistake(
                kind: .unescapedQuote, range: (lastEnd - 1)..<lastEnd,
                problem: "The text ends at this quotation mark, and more of it follows",
                advice: "Write \\\" for a quotation mark in a text, or close the text where it ends.")
        } else {
            throw .notJSON(here, "A comma or \(bracket) was expected", "Look at what stands before it, too.")
        }
    }

    /// A word directly behind a text may belong to it.
    private func isNewMember(_ byte: UInt8, _ endedText: Bool) -> Bool {
        !endedText || at > lastEnd || byte == UInt8(ascii: "\"")
    }

    /// In a list, what stands behind a text, or behind a number on its line, may belong to it: 2026-11-22, 1 000.
    private func isNewElement(_ byte: UInt8) -> Bool {
        guard lastEnd > 0 else { return false }
        let isNumber = bytes[lastEnd - 1].isWordByte && byte != UInt8(ascii: "\"")
        if isNumber, bytes[lastEnd..<at].contains(where: { $0 == 0x0A || $0 == 0x0D }) { return true }
        let closers = [UInt8(ascii: "}"), UInt8(ascii: "]")]
        return closers.contains(bytes[lastEnd - 1]) && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
    }

    func beginsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-"), 0x30...0x39: true
        default: false
        }
    }

    /// Whether what stands here can only be the key of another member.
    private var keyBegins: Bool {
        var place = at
        switch bytes[at] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let mark = bytes[at]
            place += 1
            while place < bytes.count, bytes[place] != mark, bytes[place] >= 0x20 { place += 1 }
            place += 1
        default:
            while place < bytes.count, bytes[place].isWordByte { place += 1 }
        }
        guard place > at, place < bytes.count else { return false }
        while place < bytes.count, bytes[place] == 0x20 { place += 1 }
        return place < bytes.count && bytes[place] == UInt8(ascii: ":")
    }

    // MARK: Ends

    /// The text ends before the value does. What it lacks is certain only where it can stand nowhere else.
    func endsEarly(isComplete: Bool) -> JSONMistake {
        // Behind what was written last, and not behind the line break that ends the file.
        let last = bytes.lastIndex { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } ?? -1
        let end = (last + 1)..<(last + 1)
        guard let open = nodes.indices.last(where: { nodes[$0].end < 0 }) else {
            return .notJSON(end, "It ends in the middle", "Add what is missing.")
        }
        let place = TextPlace(of: Int(nodes[open].start), in: bytes)
        let bracket = nodes[open].kind == .array ? "[" : "{"
        let missing = closers
        // Of a number more digits may be missing.
        let endsInNumber = last >= 0 && bytes[last].isWordByte && bytes[last] < UInt8(ascii: "A")
        let isCertain = isComplete && canOnlyCloseHere && !aCommentMayHoldIt && !endsInNumber
        return JSONMistake(
            kind: .missingBracket, range: end,
            problem: "It ends, and the \(bracket) of line \(place.line), column \(place.column) is not closed",
            advice: isComplete ? "Add \(missing) at the end, or where it belongs." : "Add the rest.",
            edits: isCertain ? [.inserting(missing, at: end.lowerBound)] : [])
    }

    private var closers: String {
        nodes.reversed().filter { $0.end < 0 }.map { $0.kind == .array ? "]" : "}" }.joined()
    }

    /// A bracket that is missing could also belong behind any value but the last of what it closes. So it is certain
    /// where each container on the way to the end, but the outermost, has one value at most.
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

    /// What was taken for a comment to the end of the line may hold what is missing, and be no comment.
    private var aCommentMayHoldIt: Bool {
        mistakes.contains { mistake in
            mistake.kind == .comment
                && bytes[mistake.range].contains { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") }
        }
    }

    /// Something stands behind the end of the value.
    mutating func afterEnd() throws(JSONMistake) {
        let rest = bytes.indices[at...].filter { ![0x20, 0x09, 0x0A, 0x0D].contains(bytes[$0]) }
        let areClosers = rest.allSatisfy { bytes[$0] == UInt8(ascii: "}") || bytes[$0] == UInt8(ascii: "]") }
        let isSeparator = rest.count == 1 && (bytes[at] == UInt8(ascii: ",") || bytes[at] == UInt8(ascii: ";"))
        guard areClosers || isSeparator else {
            let isSecond = beginsValue(bytes[at])
            throw JSONMistake(
                kind: .textAfterEnd, range: here,
                problem: isSecond
                    ? "A second value begins behind the end of the first" : "There is more behind the end of the value",
                advice: isSecond ? "A payload is one object: put each into a file of its own." : "Remove it.")
        }
        try passOver(
            JSONMistake(
                kind: .textAfterEnd, range: here,
                problem: areClosers
                    ? "There is a bracket too many behind the end" : "There is more behind the end of the value",
                advice: "Remove it.", edits: rest.map { JSONEdit($0..<($0 + 1), "") }))
        at = bytes.count
    }
}
