internal import PushPlatform

package enum WordWrap {
    /// Breaks a text at its spaces.
    ///
    /// - Parameters:
    ///   - text: One paragraph. A word that is wider than a line gets its own line.
    ///   - first: The start of the first line. The other lines are indented by its width.
    ///   - width: The maximum width of a line.
    /// - Returns: At least one line.
    package static func lines(of text: String, first: String = "", width: Int) -> [String] {
        let indentation = String(repeating: " ", count: first.count)
        var lines: [String] = []
        var line = first
        var hasWord = false
        for word in text.split(whereSeparator: { $0.isWhitespace && $0 != noBreakSpace }) {
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

    /// A space that belongs to a word.
    static let noBreakSpace: Character = "\u{A0}"

    /// Breaks the long lines of a text. A line that begins with two spaces stays as it is: it's a command to paste.
    package static func fitted(_ text: String, width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.count > width, !line.hasPrefix("  ") else { return String(line) }
            return lines(of: String(line), width: width).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension WordWrap {
    /// The least width. On a narrower terminal, the terminal breaks lines itself.
    private static let narrowest = 20

    /// Breaks the long lines of a text for a terminal. If the file descriptor isn't a terminal, or its width isn't known, the text is
    /// returned unchanged.
    package static func fitted(_ text: String, toTerminal descriptor: Int32) -> String {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return text
        }
        return fitted(text, width: max(narrowest, Int(size.ws_col)))
    }
}

extension String {
    /// The text without whitespace at both ends.
    package var trimmed: String {
        let front = drop(while: \.isWhitespace)
        guard let last = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(front[...last])
    }
}
