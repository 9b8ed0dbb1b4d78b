package enum HelpText {
    /// The width that argument-parser has for everything but the line of the usage.
    private static let width = 80
    /// Where argument-parser's column of descriptions begins.
    private static let descriptionColumn = 26

    /// Breaks the line of the usage between its arguments. Any other text is returned unchanged.
    package static func fitted(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("USAGE: ") ? usage($0) : String($0) }.joined(separator: "\n")
    }

    /// Adds a section at the end of a help text, before argument-parser's hint about its subcommand `help`.
    ///
    /// - Parameters:
    ///   - title: The title, in upper case.
    ///   - rows: The name and the description of each row.
    ///   - text: The help text.
    /// - Returns: The text with the section.
    package static func adding(_ title: String, _ rows: [(name: String, description: String)], to text: String)
        -> String
    {
        let lines = rows.flatMap { name, description in
            let first = "  " + name.padded(to: descriptionColumn - 2, atLeast: 2)
            return WordWrap.lines(of: description, first: first, width: width)
        }
        let section = "\n\(title):\n" + lines.joined(separator: "\n") + "\n"
        let end = text.firstRange(of: "\n  See '")?.lowerBound ?? text.endIndex
        return text[..<end] + section + text[end...]
    }

    private static func usage(_ line: Substring) -> String {
        guard line.count > width else { return String(line) }
        // A bracket, or what stands outside of brackets, is one piece.
        var pieces: [Substring] = []
        for word in line.dropFirst("USAGE: ".count).split(separator: " ") {
            let isOpen = pieces.last.map { $0.hasPrefix("[") && !$0.hasSuffix("]") } ?? false
            let isValue = word.hasPrefix("<") && (pieces.last?.hasPrefix("-") ?? false)
            if isOpen || isValue || word == "...", let last = pieces.popLast() {
                pieces.append("\(last)\(WordWrap.noBreakSpace)\(word)")
            } else {
                pieces.append(word)
            }
        }
        return WordWrap.lines(of: pieces.joined(separator: " "), first: "USAGE: ", width: width).joined(separator: "\n")
            .replacing(String(WordWrap.noBreakSpace), with: " ")
    }
}
