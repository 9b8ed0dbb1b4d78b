package import NIOCore

/// A file that is embedded in the program, as it is served.
package struct PageFile: Sendable {
    /// The content type.
    package let type: String
    /// The content, which all answers share.
    package let buffer: ByteBuffer
    /// The content.
    package var bytes: [UInt8] { Array(buffer.readableBytesView) }
    /// A hash of the bytes, in quotes. With it, a browser asks whether the file has changed.
    package let tag: String

    init(path: String, bytes: [UInt8]) {
        buffer = ByteBuffer(bytes: bytes)
        let hash = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        tag = "\"\(String(hash, radix: 16))\""
        type =
            switch path.split(separator: ".").last {
            case "html": "text/html; charset=utf-8"
            case "css": "text/css; charset=utf-8"
            case "js": "text/javascript; charset=utf-8"
            case "svg": "image/svg+xml"
            case "json": "application/json"
            default: "application/octet-stream"
            }
    }

    /// Decodes base64, which the plugin wrote.
    static func decoded(_ text: StaticString) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8CodeUnitCount / 4 * 3)
        var (bits, count) = (UInt32(0), 0)
        text.withUTF8Buffer { letters in
            for letter in letters {
                guard let value = value(of: letter) else { continue }
                bits = bits << 6 | value
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
