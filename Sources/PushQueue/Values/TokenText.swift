/// Device tokens in hex, as texts and as bytes.
package enum TokenText {
    /// One spelling for each device token: a token in hex gets lower-case letters.
    package static func canonical(_ token: String) -> String {
        bytes(of: token).map { $0.withUnsafeBytes(hex) } ?? token
    }

    /// How a caller may write a device token that is a key: as given, in lower case, and in upper case.
    package static func spellings(of token: String) -> [String] {
        Set([token, canonical(token), token.uppercased()]).sorted()
    }

    /// The bytes of a text in hex; `nil` if the text is not hex.
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Bytes in hex, in lower-case letters.
    package static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digit(byte >> 4)
                text[2 * index + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
