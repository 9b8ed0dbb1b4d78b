import PushCommandLine

/// Breaks text into lines that fit a terminal.
enum TerminalLines {
    /// The maximum line width of text. It is less on a narrow terminal, but at least 30 columns.
    static var usualWidth: Int { min(80, max(30, terminal ?? 80)) }

    /// The width of the terminal that shows results; `nil` if they are not on a terminal. Set once, before any other
    /// thread runs.
    nonisolated(unsafe) private(set) static var terminal: Int?

    /// Stores the width of the terminal.
    static func fitTerminal() { terminal = Output.resultColumns }

    /// Breaks a text at its spaces.
    ///
    /// - Parameters:
    ///   - text: One paragraph. A word that is wider than a line gets its own line.
    ///   - first: The start of the first line. The other lines are indented by its width.
    ///   - width: The maximum width of a line; by default the usual width.
    /// - Returns: At least one line.
    static func wrapped(_ text: String, first: String = "", width: Int = usualWidth) -> [String] {
        WordWrap.lines(of: text, first: first, width: width)
    }
}
