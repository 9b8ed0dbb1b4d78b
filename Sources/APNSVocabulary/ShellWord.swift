/// Quotes a word for a shell command that the user can paste.
package enum ShellWord {
    /// Returns the word as POSIX shells read it. Characters that could control the terminal are produced by printf.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { $0.isLetterOrDigit || "/.-_".utf8.contains($0) }
        if isPlain && !word.isEmpty { return word }
        let shown = PeerText.printableLines(word)
        guard shown != word || word.contains("\t") else { return inQuotes(word) }
        var parts: [(text: String, isHidden: Bool)] = []
        for (scalar, mark) in zip(word.unicodeScalars, shown.unicodeScalars) {
            let isHidden = scalar != mark || scalar == "\t"
            if parts.last?.isHidden != isHidden { parts.append(("", isHidden)) }
            parts[parts.count - 1].text.unicodeScalars.append(scalar)
        }
        return parts.map { $0.isHidden ? printf($0.text) : inQuotes($0.text) }.joined()
    }

    private static func inQuotes(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// For example `"$(printf '\302\233')"`, with each byte in octal.
    private static func printf(_ text: String) -> String {
        let bytes = text.utf8.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return "\"$(printf '\(bytes.joined())')\""
    }
}
