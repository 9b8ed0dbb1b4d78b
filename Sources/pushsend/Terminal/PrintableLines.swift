import PushCommandLine
import PushPlatform
import PushProvider
import PushTime

/// Collects lines for people, so that many are written at once. Replaces characters that could control the terminal.
struct PrintableLines {
    private(set) var bytes: [UInt8] = []

    init(reservingBytes count: Int = 0) {
        bytes.reserveCapacity(count)
    }

    /// Writes a part of a line, with an optional colour.
    mutating func write(_ text: String, _ colour: Colour? = nil) {
        let printable = PeerText.printable(text, atMost: Self.longest)
        bytes.append(contentsOf: (colour?.paint(printable, true) ?? printable).utf8)
    }

    /// The maximum number of characters of one part.
    private static let longest = 1000

    /// Writes the first characters of a body. Each line break or tab becomes a space.
    mutating func write(startOf body: [UInt8], characters count: Int) {
        // The character after the last one is checked too: in ASCII it cannot combine with the last one.
        let isPlain = body.withUnsafeBufferPointer {
            PeerText.isPlain(UnsafeBufferPointer(rebasing: $0.prefix(count + 1)))
        }
        if isPlain {
            bytes.append(contentsOf: body.prefix(count))
        } else {
            let start = String(decoding: body, as: UTF8.self).prefix(count)
            write(start.map { $0 == "\r\n" ? "  " : "\n\r\t".contains($0) ? " " : String($0) }.joined())
        }
    }

    /// Writes a device token in its short form. Only the ellipsis of a usual one isn't ASCII.
    mutating func write(token: String) {
        let short = DeviceToken.shortened(token)
        if PeerText.isPlain(token) { bytes.append(contentsOf: short.utf8) } else { write(short) }
    }

    /// Writes the time of day, in UTC.
    mutating func write(timeOfDay secondsSince1970: Double) {
        let seconds = Int(secondsSince1970) % 86_400
        write(twoDigits: seconds / 3600, before: ":")
        write(twoDigits: seconds / 60 % 60, before: ":")
        write(twoDigits: seconds % 60, before: "Z")
    }

    private mutating func write(twoDigits number: Int, before end: Unicode.Scalar) {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
        bytes.append(UInt8(ascii: end))
    }

    /// Writes text that is already safe.
    mutating func write(asItIs text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }
}

/// The colours of text on a terminal, as SGR codes (ECMA-48).
enum Colour: String {
    case bold = "1"
    case quiet = "2"
    case red = "1;31"
    case green = "1;32"
    case yellow = "1;33"
    case magenta = "1;35"
    case cyan = "1;36"
    /// Data that was sent, unchanged.
    case data = "36"

    /// Colours a text if colours are enabled. Text from outside must already be printable.
    func paint(_ text: String, _ isOn: Bool) -> String {
        isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Times in readable form.
enum InspectedTime {
    /// For example `2026-11-21 12:00:00 UTC`. A number outside of the years 1 to 9999, such as milliseconds, is shown as it is.
    static func text(_ seconds: Int) -> String {
        let date = Date(timeIntervalSince1970: Double(seconds))
        guard Date.writable.contains(date) else { return "\(seconds) s since 1970" }
        return date.rfc3339Seconds.replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// For example `2026-11-21`.
    static func day(_ seconds: Int) -> String { String(text(seconds).prefix { $0 != " " }) }
}

/// Breaks text into lines that fit a terminal.
enum TerminalLines {
    /// The maximum line width of text. It is less on a narrow terminal, but at least 30 columns.
    static var defaultWidth: Int { min(80, max(30, terminal ?? 80)) }

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
    static func wrapped(_ text: String, first: String = "", width: Int = defaultWidth) -> [String] {
        WordWrap.lines(of: text, first: first, width: width)
    }
}

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
