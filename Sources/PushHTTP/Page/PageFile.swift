package import NIOCore
import PushPlatform

package struct PageFile: Sendable {
    package let type: String
    /// The content, which all answers share.
    package let buffer: ByteBuffer
    package var bytes: [UInt8] { Array(buffer.readableBytesView) }
    /// A hash of the bytes, in quotes. With it, a browser asks whether the file has changed.
    package let tag: String

    /// Decodes base64, which the plugin wrote.
    init(path: String, base64: String) {
        let bytes = Data(base64Encoded: base64).map(Array.init) ?? []
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
}
