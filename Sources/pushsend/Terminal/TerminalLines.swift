/// Text in lines that fit a terminal.
enum TerminalLines {
    /// As many columns as text is wide at most: less on a narrow terminal, but not so few that it becomes a column of single words.
    static var usualWidth: Int { min(80, max(30, terminal ?? 80)) }

    /// How wide the terminal is that shows results; `nil` where they go elsewhere. Set once, before any other thread runs.
    nonisolated(unsafe) private(set) static var terminal: Int?

    /// Takes the width of the terminal.
    static func fitTerminal() { terminal = Output.resultColumns }

    /// Breaks a text at its spaces.
    ///
    /// - Parameters:
    ///   - text: One paragraph. A word that is wider than a line gets a line of its own.
    ///   - first: What the first line begins with; the others are indented as far.
    ///   - width: The most columns of a line; those of a usual terminal by default.
    /// - Returns: At least one line.
    static func wrapped(_ text: String, first: String = "", width: Int = usualWidth) -> [String] {
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
