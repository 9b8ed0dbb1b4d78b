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
