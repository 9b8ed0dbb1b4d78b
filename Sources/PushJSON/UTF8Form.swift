/// Checks whether bytes are valid UTF-8 (RFC 3629).
package enum UTF8Form {
    /// The position of the first invalid byte; `nil` if all bytes are valid.
    static func firstFault(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        var at = range.lowerBound
        while at < range.upperBound {
            let byte = bytes[at]
            if byte < 0x80 {
                at += 1
                continue
            }
            guard let width = width(of: byte), at + width <= range.upperBound, isSecond(bytes[at + 1], after: byte),
                bytes[(at + 1)..<(at + width)].allSatisfy({ $0 & 0xC0 == 0x80 })
            else { return at }
            at += width
        }
        return nil
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
