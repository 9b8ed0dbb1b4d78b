/// Text in lines that fit a terminal.
enum TerminalLines {
    /// In fewer columns indented text would be a column of single words.
    private static let narrowest = 30

    /// Breaks a text at its spaces.
    ///
    /// - Parameters:
    ///   - text: One paragraph. A word that is wider than a line gets a line of its own.
    ///   - first: What the first line begins with; the others are indented as far.
    ///   - width: The most columns of a line; `nil` for 80, or as many as a narrower terminal has.
    /// - Returns: At least one line.
    static func wrapped(_ text: String, first: String = "", width: Int? = nil) -> [String] {
        let width = width ?? min(80, max(narrowest, Output.columns ?? 80))
        let indentation = String(repeating: " ", count: first.count)
        var lines: [String] = []
        var line = first
        var hasWord = false
        for word in text.split(whereSeparator: \.isWhitespace) {
            if hasWord, line.count + 1 + word.count > width {
                lines.append(line)
                (line, hasWord) = (indentation, false)
            }
            if hasWord { line += " " }
            line.append(contentsOf: word)
            hasWord = true
        }
        return lines + [line]
    }
}
