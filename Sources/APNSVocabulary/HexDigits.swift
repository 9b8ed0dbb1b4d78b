/// Hex digits in bytes.
enum HexDigits {
    /// Whether all characters are hex digits. It reads contiguous bytes: a string view takes four times as long, for
    /// each request.
    static func areAll(_ text: String) -> Bool {
        var text = text
        return text.withUTF8(areAll)
    }

    /// Whether all bytes are hex digits. It has no early exit, so that the compiler can vectorize it.
    static func areAll(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var others: UInt8 = 0
        for byte in text {
            let noDigit: UInt8 = byte &- UInt8(ascii: "0") < 10 ? 0 : 1
            let noLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 6 ? 0 : 1
            others |= noDigit & noLetter
        }
        return others == 0
    }
}

extension UInt8 {
    var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
