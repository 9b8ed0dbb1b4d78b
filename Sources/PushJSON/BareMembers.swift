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
