/// Mistakes of a text as a whole: its encoding, and quotation marks around it.
package enum WholeText {
    /// U+FEFF in UTF-8.
    package static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    static let markMistake = JSONMistake(
        kind: .byteOrderMark, range: 0..<mark.count,
        problem: "The payload begins with a byte order mark",
        advice: "Save the file as UTF-8 without byte order mark.", edits: [JSONEdit(0..<mark.count, "")])

    /// If there is one, no other mistake can be found.
    static func mistake(of bytes: [UInt8]) -> JSONMistake? {
        if let mistake = encodingMistake(of: bytes) { return mistake }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else {
            return JSONMistake(
                kind: .empty, range: 0..<0, problem: "The payload is empty",
                advice: "Use a payload such as {\"aps\":{\"alert\":\"Hello\"}}.")
        }
        return wrapping(first...last, of: bytes)
    }

    static func encodingMistake(of bytes: [UInt8]) -> JSONMistake? { WideEncoding(bytes)?.mistake(bytes) }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// The mistake for an object that a shell or a program put into quotation marks.
    private static func wrapping(_ range: ClosedRange<Int>, of bytes: [UInt8]) -> JSONMistake? {
        let isWrapped = range.count > 2 && bytes[range.lowerBound] == bytes[range.upperBound]
        let inner = Array(bytes[range].dropFirst().dropLast())
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "'") where isWrapped && isObject(inner),
            UInt8(ascii: "\"") where isWrapped && isObject(inner):
            return quoted(range, inner)
        case UInt8(ascii: "\""):
            guard case .string(let text)? = try? JSONReader.read(bytes), isObject(Array(text.utf8)) else {
                return BareMembers.mistake(range, of: bytes)
            }
            return quoted(range, Array(text.utf8))
        case UInt8(ascii: "{"):
            // Only an object whose first key begins with a backslash can be quoted.
            guard bytes[range].dropFirst().first(where: { !isSpace($0) }) == UInt8(ascii: "\\") else { return nil }
            let bare = withoutBackslashes(bytes[range])
            guard isObject(bare) else { return nil }
            // If backslashes remain, the original text is uncertain.
            return quoted(range, bare, isCertain: !bare.contains(UInt8(ascii: "\\")))
        default: return nil
        }
    }

    private static func isObject(_ bytes: [UInt8]) -> Bool {
        guard let tree = try? JSONReader.tree(bytes) else { return false }
        return tree.nodes[JSONTree.root].kind == .object
    }

    private static func withoutBackslashes(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bare: [UInt8] = []
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == UInt8(ascii: "\""), previous == UInt8(ascii: "\\") { bare.removeLast() }
            bare.append(byte)
            previous = byte
        }
        return bare
    }

    private static func quoted(
        _ range: ClosedRange<Int>, _ inner: [UInt8], isCertain: Bool = true
    ) -> JSONMistake {
        let whole = range.lowerBound..<(range.upperBound + 1)
        return JSONMistake(
            kind: .quotedPayload, range: whole, problem: "The whole payload is in quotation marks",
            advice:
                "Send the object itself. In a shell, use single quotes around it. In a program, encode it once, not twice.",
            edits: isCertain ? [JSONEdit(whole, inner)] : [])
    }
}

/// The encodings UTF-16 and UTF-32, with two or four bytes for each character.
private struct WideEncoding {
    var name: String
    var markWidth: Int
    var isBigEndian: Bool
    var unitWidth: Int

    init?(_ bytes: [UInt8]) {
        let start = Array(bytes.prefix(4))
        switch true {
        case start == [0xFF, 0xFE, 0, 0]: self.init("UTF-32", mark: 4, bigEndian: false, unit: 4)
        case start == [0, 0, 0xFE, 0xFF]: self.init("UTF-32", mark: 4, bigEndian: true, unit: 4)
        case start.starts(with: [0xFF, 0xFE]): self.init("UTF-16", mark: 2, bigEndian: false, unit: 2)
        case start.starts(with: [0xFE, 0xFF]): self.init("UTF-16", mark: 2, bigEndian: true, unit: 2)
        case start.count == 4 && start[1...] == [0, 0, 0] && start[0] != 0:
            self.init("UTF-32", mark: 0, bigEndian: false, unit: 4)
        case start.count == 4 && start[..<3] == [0, 0, 0] && start[3] != 0:
            self.init("UTF-32", mark: 0, bigEndian: true, unit: 4)
        case start.count >= 2 && start[0] != 0 && start[1] == 0: self.init("UTF-16", mark: 0, bigEndian: false, unit: 2)
        case start.count >= 2 && start[0] == 0 && start[1] != 0: self.init("UTF-16", mark: 0, bigEndian: true, unit: 2)
        default: return nil
        }
    }

    private init(_ name: String, mark: Int, bigEndian: Bool, unit: Int) {
        (self.name, markWidth, isBigEndian, unitWidth) = (name, mark, bigEndian, unit)
    }

    func mistake(_ bytes: [UInt8]) -> JSONMistake {
        let whole = 0..<bytes.count
        return JSONMistake(
            kind: .wideEncoding, range: 0..<max(markWidth, 1), problem: "The payload is \(name), not UTF-8",
            advice: "Save the file as UTF-8.",
            edits: decoded(bytes[markWidth...]).map { [JSONEdit(whole, Array($0.utf8))] } ?? [])
    }

    private func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count % unitWidth == 0 else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: unitWidth).map { start in
            let unit = bytes[start..<(start + unitWidth)]
            return (isBigEndian ? Array(unit) : unit.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        return unitWidth == 2
            ? String(validating: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
            : String(validating: units, as: UTF32.self)
    }
}

/// The members of an object without the braces around them, as tutorials print them: `"aps": {"alert": "Hello"}`.
enum BareMembers {
    /// Returns the mistake if the text is such a list of members.
    ///
    /// - Parameters:
    ///   - range: The range of the text, without the spaces around it.
    ///   - bytes: The text, which begins with a quotation mark.
    /// - Returns: The mistake, with a repair if that is certain; `nil` for any other text.
    static func mistake(_ range: ClosedRange<Int>, of bytes: [UInt8]) -> JSONMistake? {
        guard let key = key(bytes[range]) else { return nil }
        let text = Array(bytes[range])
        let whole = [UInt8(ascii: "{")] + text
        let (start, end) = (range.lowerBound, range.upperBound + 1)
        if isObject(whole, exactly: true) {
            return mistake(start, "The opening brace is missing", [.inserting("{", at: start)])
        }
        // Other mistakes are reported and repaired after the braces are added.
        if isObject(whole + [UInt8(ascii: "}")], exactly: false) {
            let edits = [JSONEdit.inserting("{", at: start), .inserting("}", at: end)]
            return mistake(start, "The braces around the payload are missing", edits)
        }
        return key.elementsEqual("aps".utf8) ? mistake(start, "The braces around the payload are missing", []) : nil
    }

    private static func mistake(_ start: Int, _ problem: String, _ edits: [JSONEdit]) -> JSONMistake {
        JSONMistake(
            kind: .missingBraces, range: start..<(start + 1), problem: problem,
            advice: "A payload is an object: write {\"aps\":{\"alert\":\"Hello\"}}, with braces around \"aps\" too.",
            edits: edits)
    }

    /// The text between the first two quotation marks; `nil` if no colon follows.
    private static func key(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let inside = text.dropFirst()
        guard let end = inside.firstIndex(of: UInt8(ascii: "\"")), !inside[..<end].contains(UInt8(ascii: "\\")),
            inside[(end + 1)...].first(where: { !WholeText.isSpace($0) }) == UInt8(ascii: ":")
        else { return nil }
        return inside[..<end]
    }

    /// Whether the bytes are an object, or can be repaired to one with certainty.
    private static func isObject(_ bytes: [UInt8], exactly: Bool) -> Bool {
        let read = JSONReader.examine(bytes)
        guard let tree = read.tree, tree.nodes[JSONTree.root].kind == .object else { return false }
        return exactly ? read.mistakes.isEmpty : read.mistakes.allSatisfy { !$0.edits.isEmpty }
    }
}
