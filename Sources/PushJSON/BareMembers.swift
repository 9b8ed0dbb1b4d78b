/// The members of an object without the braces around them, as tutorials print them: `"aps": {"alert": "Hello"}`.
enum BareMembers {
    /// The mistake, where the text is that.
    ///
    /// - Parameters:
    ///   - range: Where the text stands, spaces around it apart.
    ///   - bytes: The text, which begins with a quotation mark.
    /// - Returns: The mistake, mended where that is certain; `nil` for anything else.
    static func mistake(_ range: ClosedRange<Int>, of bytes: [UInt8]) -> JSONMistake? {
        guard let key = key(bytes[range]) else { return nil }
        let text = Array(bytes[range])
        let whole = [UInt8(ascii: "{")] + text
        let (start, end) = (range.lowerBound, range.upperBound + 1)
        if isObject(whole, exactly: true) {
            return mistake(start, "The brace before it is missing", [.inserting("{", at: start)])
        }
        // What else is wrong with it is told, and mended, when the braces are there.
        if isObject(whole + [UInt8(ascii: "}")], exactly: false) {
            let edits = [JSONEdit.inserting("{", at: start), .inserting("}", at: end)]
            return mistake(start, "The braces around it are missing", edits)
        }
        return key.elementsEqual("aps".utf8) ? mistake(start, "The braces around it are missing", []) : nil
    }

    private static func mistake(_ start: Int, _ problem: String, _ edits: [JSONEdit]) -> JSONMistake {
        JSONMistake(
            kind: .missingBraces, range: start..<(start + 1), problem: problem,
            advice: "A payload is an object: write {\"aps\":{\"alert\":\"Hello\"}}, with braces around \"aps\" too.",
            edits: edits)
    }

    /// What stands between the first two quotation marks, where a colon follows.
    private static func key(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let inside = text.dropFirst()
        guard let end = inside.firstIndex(of: UInt8(ascii: "\"")), !inside[..<end].contains(UInt8(ascii: "\\")),
            inside[(end + 1)...].first(where: { !WholeText.isSpace($0) }) == UInt8(ascii: ":")
        else { return nil }
        return inside[..<end]
    }

    /// Whether it is an object, or what can be made one for certain.
    private static func isObject(_ bytes: [UInt8], exactly: Bool) -> Bool {
        let read = JSONReader.examine(bytes)
        guard let tree = read.tree, tree.nodes[JSONTree.root].kind == .object else { return false }
        return exactly ? read.mistakes.isEmpty : read.mistakes.allSatisfy { !$0.edits.isEmpty }
    }
}
