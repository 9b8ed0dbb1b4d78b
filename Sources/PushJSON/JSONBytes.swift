/// JSON as bytes, for paths that create no values.
package enum JSONBytes {
    /// Decodes a JSON string. The range includes the quotation marks. Returns `nil` for any other value.
    package static func text(_ json: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String? {
        guard json[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inner = UnsafeBufferPointer(rebasing: json[range.lowerBound + 1..<range.upperBound - 1])
        // Usually it has no escape.
        if endOfPlainText(inner, from: 0) == inner.count { return String(decoding: inner, as: UTF8.self) }
        guard case .string(let text)? = PushJSONValue(json: Array(json[range])) else { return nil }
        return text
    }

    package enum Escapes: Sendable {
        /// `\n`, `\r` and `\t` where there is such an escape: the fewest bytes.
        case short
        /// `\u000a` for each one.
        case long
    }

    package static func write(_ text: String, to bytes: inout [UInt8], _ escapes: Escapes = .short) {
        var text = text
        text.withUTF8 { write($0, to: &bytes, escapes) }
    }

    /// Writes a text in UTF-8 as a JSON string with quotation marks. RFC 8259 section 7: only quotation marks, backslashes and
    /// control characters must be escaped.
    package static func write(
        _ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8], _ escapes: Escapes = .short
    ) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            // Usually nothing needs an escape, and the text is copied in one piece.
            let end = endOfPlainText(text, from: start)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            guard end < text.count else { break }
            escape(text[end], to: &bytes, escapes)
            start = end + 1
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8], _ escapes: Escapes) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A where escapes == .short: bytes.append(UInt8(ascii: "n"))
        case 0x0D where escapes == .short: bytes.append(UInt8(ascii: "r"))
        case 0x09 where escapes == .short: bytes.append(UInt8(ascii: "t"))
        default:
            bytes += "u00".utf8
            bytes.append(hex(byte >> 4))
            bytes.append(hex(byte & 15))
        }
    }

    private static func hex(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    private static let maximumDigits = 20

    /// Writes a whole number without creating a String.
    package static func write(_ number: Int, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumDigits) { digits in
            var start = maximumDigits
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// The offset of the next quotation mark, backslash, or control character; the end if there is none.
    package static func endOfPlainText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var at = start
        while at + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let found = marks(in: word)
            if found != 0 { return at + found.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < raw.count, raw[at] >= 0x20, raw[at] != UInt8(ascii: "\""), raw[at] != UInt8(ascii: "\\") { at += 1 }
        return at
    }

    /// Sets the highest bit of each of eight bytes that is one of these. Above the first match, bits may be wrong.
    @inline(__always)
    private static func marks(in word: UInt64) -> UInt64 {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotation = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let zeros = (quotation &- ones) & ~quotation | (backslash &- ones) & ~backslash
        return (zeros | (word &- ones &* 0x20) & ~word) & highs
    }

    /// ASCII is checked eight bytes at a time.
    package static func areUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var at = 0
        while at < raw.count {
            while at + 8 <= raw.count,
                raw.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                at += 8
            }
            while at < raw.count, raw[at] < 0x80 { at += 1 }
            guard at < raw.count else { return true }
            guard let width = UTF8Form.width(ofCharacterAt: at, in: bytes) else { return false }
            at += width
        }
        return true
    }
}

/// Checks whether bytes are valid UTF-8 (RFC 3629).
package enum UTF8Form {
    static func firstFault(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        bytes[range].withUnsafeBufferPointer { text in
            var at = 0
            while at < text.count {
                guard let width = width(ofCharacterAt: at, in: text) else { return range.lowerBound + at }
                at += width
            }
            return nil
        }
    }

    /// The length in bytes of the character that begins at `offset`; `nil` if no valid character begins there.
    package static func width(ofCharacterAt offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let lead = bytes[offset]
        if lead < 0x80 { return 1 }
        guard let width = width(of: lead), offset + width <= bytes.count, isSecond(bytes[offset + 1], after: lead)
        else { return nil }
        for next in offset + 1..<offset + width where bytes[next] & 0xC0 != 0x80 { return nil }
        return width
    }

    private static func width(of lead: UInt8) -> Int? {
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: nil
        }
    }

    /// Whether a second byte is valid: no overlong form, no surrogate, nothing above U+10FFFF.
    private static func isSecond(_ byte: UInt8, after lead: UInt8) -> Bool {
        switch lead {
        case 0xE0: byte >= 0xA0
        case 0xED: byte < 0xA0
        case 0xF0: byte >= 0x90
        case 0xF4: byte < 0x90
        default: true
        }
    }
}
