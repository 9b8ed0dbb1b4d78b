/// Makes text from outside safe for a terminal, a log or a web page.
///
/// Text from a server, a file or an argument can contain characters that move the cursor, reverse the direction of
/// text, or are invisible. Each of them is replaced with U+FFFD, so that the reader sees the replacement. The whole
/// project uses this rule.
package enum PeerText {
    /// The default maximum length of a shown text, in Unicode scalars. In a longer text "…" replaces the middle.
    package static let defaultLimit = 200

    /// Returns a text that is safe to show on one line.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - limit: The maximum number of Unicode scalars in the result. In a longer text "…" replaces the middle.
    /// - Returns: The text without line breaks and hidden characters.
    package static func printable(_ text: String, atMost limit: Int = defaultLimit) -> String {
        if isPlain(text), text.utf8.count <= limit { return text }
        let scalars = Array(text.unicodeScalars)
        guard scalars.count > limit else { return replacing(scalars) { _, shown in shown.append(mark) } }
        let end = limit / 4
        return replacing(scalars.prefix(limit - end - 1) + ["\u{2026}"] + scalars.suffix(end)) { _, shown in
            shown.append(mark)
        }
    }

    /// Returns a text of several lines that is safe to show in a terminal. Line feeds and tabs stay, and the length is
    /// not limited.
    package static func printableLines(_ text: String) -> String {
        if isPlain(text) { return text }
        return replacing(Array(text.unicodeScalars)) { scalar, shown in
            shown.append(scalar == "\n" || scalar == "\t" ? scalar : mark)
        }
    }

    /// Returns JSON that is safe to show in a terminal. Hidden characters become escapes, so that the values do not
    /// change.
    ///
    /// - Parameter json: JSON in UTF-8. Line breaks and tabs between its values stay.
    /// - Returns: JSON with the same values.
    package static func printableJSON(_ json: [UInt8]) -> [UInt8] {
        if json.withUnsafeBufferPointer(isPlainJSON) { return json }
        let scalars = Array(String(decoding: json, as: UTF8.self).unicodeScalars)
        let safe = replacing(scalars) { scalar, shown in
            switch scalar {
            case "\n", "\t": shown.append(scalar)
            default: shown.append(contentsOf: escape(scalar).unicodeScalars)
            }
        }
        return Array(safe.utf8)
    }

    /// Makes the JSON at the end of a buffer safe, beginning at an offset.
    package static func makePrintable(json: inout [UInt8], from start: Int) {
        let isPlain = json.withUnsafeBufferPointer { isPlainJSON(UnsafeBufferPointer(rebasing: $0[start...])) }
        if isPlain { return }
        json.replaceSubrange(start..., with: printableJSON(Array(json[start...])))
    }

    private static let mark: Unicode.Scalar = "\u{FFFD}"

    /// The escape of a character, such as `\u202e`; above U+FFFF a pair of surrogates, RFC 8259 section 7.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    private static func replacing(
        _ scalars: [Unicode.Scalar], _ replace: (Unicode.Scalar, inout String.UnicodeScalarView) -> Void
    ) -> String {
        var shown = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let before = index > 0 ? scalars[index - 1] : nil
            let after = index + 1 < scalars.count ? scalars[index + 1] : nil
            if shows(scalar, after: before, before: after) { shown.append(scalar) } else { replace(scalar, &shown) }
        }
        return String(shown)
    }

    /// Whether a text is ASCII without control characters. It has no early exit, so that the compiler can vectorize it.
    package static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var others: UInt8 = 0
        for byte in text { others |= byte &- 0x20 < 0x5F ? 0 : 1 }
        return others == 0
    }

    /// The same for JSON, in which line feeds and tabs can stand between the values.
    private static func isPlainJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var others: UInt8 = 0
        for byte in text {
            let notPlain: UInt8 = byte &- 0x20 < 0x5F ? 0 : 1
            let noLineFeed: UInt8 = byte == 0x0A ? 0 : 1
            let noTab: UInt8 = byte == 0x09 ? 0 : 1
            others |= notPlain & noLineFeed & noTab
        }
        return others == 0
    }

    package static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8(isPlain)
    }
}

extension PeerText {
    // MARK: The rule

    /// Whether a character is shown between these two neighbors.
    ///
    /// Joiners and variation selectors are needed in emoji and in some scripts. A single one is kept there, and
    /// replaced elsewhere.
    package static func shows(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        if scalar.value >= 0x20, scalar.value < 0x7F { return true }
        guard isHidden(scalar) else { return true }
        guard let previous else { return false }
        if isJoiner(scalar) {
            let follows = previous.value > 0x7F && (!isHidden(previous) || isSelector(previous))
            return follows && next.map { $0.value > 0x7F && !isHidden($0) } ?? false
        }
        return isSelector(scalar) && !isHidden(previous) && (previous.value > 0x7F || isKeycap(previous))
    }

    /// Zero width non-joiner and joiner.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { (0x200C...0x200D).contains(scalar.value) }

    /// Variation selectors of Unicode's first plane, and those of Mongolian.
    private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
        (0xFE00...0xFE0F).contains(scalar.value) || (0x180B...0x180D).contains(scalar.value)
    }

    /// The ASCII characters that can become emoji: 1️⃣, #️⃣.
    private static func isKeycap(_ scalar: Unicode.Scalar) -> Bool {
        (0x30...0x39).contains(scalar.value) || scalar == "#" || scalar == "*"
    }

    /// Whether a character is hidden: control characters, line separators, characters that change the direction of
    /// text, and those that Unicode calls default ignorable.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0, DEL and C1.
        case 0..<0x20, 0x7F..<0xA0: true
        case ..<0x0300: scalar.value == 0xAD
        // Combining grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels, Mongolian separators.
        case 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F: true
        // Zero-width characters, marks, embeddings, overrides and isolates of direction, line and paragraph separators.
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
        // Hangul fillers, variation selectors, the byte order mark, annotations.
        case 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB: true
        // Controls of shorthand and of musical notation, tags, further variation selectors.
        case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
        default: false
        }
    }
}

extension String {
    /// The text for one line of a terminal, with at most 200 characters.
    package var printable: String { PeerText.printable(self) }
}
