internal import APNSVocabulary

/// The base64 of JWT: `-` and `_`, no padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Encodes the UTF-8 of a text without padding.
    package static func encode(_ text: String) -> String { encode(Array(text.utf8)) }

    /// Encodes bytes without padding. Not generic: at run time, the first use of a generic function takes 0.1 ms of a program's start.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes both alphabets, with complete padding or without. Returns `nil` for any other text, and for unused bits
    /// that are not zero, so that each value has only one encoding.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(bytes: text.utf8) }

    /// Decodes the bytes of a text like ``decode(_:)``. No copy of a secret remains in a string.
    static func decode(bytes text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.count - digits.count
        guard padding == 0 || padding <= 2 && text.count % 4 == 0,
            text.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for digit in digits {
            guard let value = digit.base64Value else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return count < 6 && bits & (1 << count - 1) == 0 ? bytes : nil
    }

    /// Whether a byte is a digit of one of the alphabets.
    static func isDigit(_ byte: UInt8) -> Bool { byte.base64Value != nil }
}
