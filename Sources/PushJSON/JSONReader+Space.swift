// Comments, and spaces that JSON does not allow.

extension JSONReader {
    /// Skips a comment, or a space that JSON does not allow.
    ///
    /// - Returns: Whether there was one.
    mutating func skipOddSpace(_ byte: UInt8) throws(JSONMistake) -> Bool {
        switch byte {
        case UInt8(ascii: "#"): try skipComment(to: endOfLine, isCertain: !mayBeText(to: endOfLine))
        case UInt8(ascii: "/"):
            switch at + 1 < bytes.count ? bytes[at + 1] : 0 {
            case UInt8(ascii: "/"): try skipComment(to: endOfLine, isCertain: !mayBeText(to: endOfLine))
            case UInt8(ascii: "*"):
                guard let end = endOfComment else {
                    throw .notJSON(here, "The comment that begins here has no end", "Remove it. JSON has no comments.")
                }
                try skipComment(to: end, isCertain: !mayBeText(to: end))
            default: return false
            }
        default:
            guard let space = OddSpace(at: at, in: bytes) else { return false }
            let range = at..<(at + space.width)
            try passOver(
                .oddSpace, range, "\(space.name) isn't allowed between values", "Replace it with an ordinary space.",
                edits: [JSONEdit(range, space.isVisible ? " " : gap(instead: range))])
            at = range.upperBound
        }
        return true
    }

    private mutating func skipComment(to end: Int, isCertain: Bool) throws(JSONMistake) {
        let range = at..<end
        try passOver(
            .comment, range, "JSON has no comments",
            isCertain ? "Remove it." : "Remove it. If it is part of a string, put the string in quotation marks.",
            edits: isCertain ? [JSONEdit(range, gap(instead: range))] : [])
        at = end
    }

    /// Whether an apparent comment may be part of a string with missing or unescaped quotation marks:
    /// `"We are "#1", too"`, or `[#fff]`.
    private func mayBeText(to end: Int) -> Bool {
        guard let last = bytes[..<at].last(where: { $0 != 0x20 && $0 != 0x09 }), last != 0x0A, last != 0x0D else {
            return false
        }
        let isWord = bytes[at] == UInt8(ascii: "#") && at + 1 < end && bytes[at + 1].isWordByte
        switch last {
        case UInt8(ascii: "{"): return false
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: ":"): return isWord
        // After a value, text with quotation marks or brackets may not be a comment.
        default:
            return (at..<end).contains { "{}[]".utf8.contains(bytes[$0]) || QuotationMark(at: $0, in: bytes) != nil }
        }
    }

    /// The replacement for removed text between two values: a space if they would join otherwise, or nothing.
    private func gap(instead range: Range<Int>) -> String {
        func separates(_ offset: Int) -> Bool {
            guard bytes.indices.contains(offset) else { return true }
            return bytes[offset] <= 0x20 || Array("{}[]:,".utf8).contains(bytes[offset])
        }
        return separates(range.lowerBound - 1) || separates(range.upperBound) ? "" : " "
    }

    var endOfLine: Int { bytes[at...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count }

    private var endOfComment: Int? {
        var offset = at + 2
        while offset + 1 < bytes.count {
            if bytes[offset] == UInt8(ascii: "*"), bytes[offset + 1] == UInt8(ascii: "/") { return offset + 2 }
            offset += 1
        }
        return nil
    }
}

/// A space or an invisible character that JSON does not allow.
private struct OddSpace {
    var name: String
    var width: Int
    var isVisible = true

    init?(at offset: Int, in bytes: [UInt8]) {
        switch Array(bytes[offset...].prefix(3)) {
        case let found where found.starts(with: [0xC2, 0xA0]): (name, width) = ("A no-break space", 2)
        case [0xE2, 0x80, 0x8B], [0xE2, 0x80, 0x8C], [0xE2, 0x80, 0x8D], [0xE2, 0x81, 0xA0]:
            (name, width, isVisible) = ("A zero-width character", 3, false)
        case [0xEF, 0xBB, 0xBF]: (name, width, isVisible) = ("A byte order mark", 3, false)
        case let found
        where found.count == 3 && found.starts(with: [0xE2, 0x80]) && (0x80...0x8A).contains(found[2]):
            (name, width) = ("A Unicode space", 3)
        case [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9]: (name, width) = ("A Unicode line separator", 3)
        case [0xE2, 0x80, 0xAF], [0xE3, 0x80, 0x80]: (name, width) = ("A Unicode space", 3)
        default: return nil
        }
    }
}
