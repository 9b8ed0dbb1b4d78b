/// The escapes in a JSON string, RFC 8259 section 7.
package enum JSONEscapes {
    /// An invalid escape stays unchanged; the reader has reported it.
    package static func undone(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var at = bytes.startIndex
        while at < bytes.endIndex {
            guard bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.endIndex else {
                text.append(bytes[at])
                at += 1
                continue
            }
            let width = append(escapeAt: at, of: bytes, to: &text)
            at += width
        }
        return text
    }

    /// Decodes one escape and returns its length in bytes.
    private static func append(escapeAt at: Int, of bytes: ArraySlice<UInt8>, to text: inout [UInt8]) -> Int {
        switch bytes[at + 1] {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let (scalar, width) = scalar(at: at, of: bytes) else { fallthrough }
            text.append(contentsOf: String(Character(scalar)).utf8)
            return width
        default: text.append(bytes[at + 1])
        }
        return 2
    }

    /// The character of a `\u` escape, or of two for a character above U+FFFF; `nil` if the escape is invalid.
    static func scalar(at: Int, of bytes: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, width: Int)? {
        guard let first = hex(at: at + 2, of: bytes) else { return nil }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard (0xD800..<0xDC00).contains(first), at + 12 <= bytes.endIndex, bytes[at + 6] == UInt8(ascii: "\\"),
            bytes[at + 7] == UInt8(ascii: "u"), let second = hex(at: at + 8, of: bytes),
            (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { return nil }
        return (scalar, 12)
    }

    static func hex(at: Int, of bytes: ArraySlice<UInt8>) -> UInt32? {
        guard at + 4 <= bytes.endIndex else { return nil }
        var value: UInt32 = 0
        for byte in bytes[at..<at + 4] {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32(byte & 0xDF - 0x41 + 10)
            default: return nil
            }
        }
        return value
    }

    static func escape(_ control: UInt8) -> String {
        switch control {
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        default: "\\u00\(hexDigits(control))"
        }
    }

    static func hexDigits(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
