/// Computes the width of a character or a text in terminal columns.
enum TerminalWidth {
    static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

    /// Cuts a text that is too wide, and ends it with an ellipsis.
    static func cut(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        var cut = String.UnicodeScalarView()
        var width = 1
        for scalar in text.unicodeScalars {
            width += of(scalar)
            if width > columns { break }
            cut.append(scalar)
        }
        return String(cut) + "…"
    }
}
