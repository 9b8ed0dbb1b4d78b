import PushPlatform
internal import PushWire

/// The text of a key: `psk_`, 8 characters of id, `_`, and 32 random bytes in base64url.
struct KeyText: Sendable, Hashable {
    var text: String
    var id: String

    private static let prefix = "psk_"
    private static let idLength = 8
    private static let secretLength = 43
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    init(using generator: inout some RandomNumberGenerator) {
        id = String((0..<Self.idLength).map { _ in Self.letters.randomElement(using: &generator) ?? "a" })
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        text = Self.prefix + id + "_" + Base64URL.encode(secret)
    }

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let (start, end) = (Self.prefix.utf8.count, Self.prefix.utf8.count + Self.idLength)
        guard text.hasPrefix(Self.prefix), bytes.count == end + 1 + Self.secretLength,
            bytes[end] == UInt8(ascii: "_"), bytes[start..<end].allSatisfy(Self.isOfID)
        else { return nil }
        self.text = text
        id = String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private static func isOfID(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte.isASCIIDigit
    }
}
