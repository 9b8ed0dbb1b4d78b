import PushPlatform

extension MockFault {
    /// Bytes that a fault sends: a body, the payload of a frame, or any other bytes.
    public enum Bytes: Sendable, Hashable, ExpressibleByStringLiteral {
        case text(String)
        case bytes([UInt8])
        /// This number of letters `x`.
        case filled(Int)

        /// Creates the bytes of a text in UTF-8.
        public init(stringLiteral text: String) {
            self = .text(text)
        }

        /// The maximum number of bytes: 1 MiB. More is refused.
        static let maximum = 1 << 20

        /// The number of bytes.
        public var count: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            case .filled(let count): count
            }
        }

        var onTheWire: [UInt8] {
            switch self {
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            case .filled(let count): Array(repeating: UInt8(ascii: "x"), count: count)
            }
        }
    }
}

extension MockFault.Bytes: Codable {
    /// Decodes a string, or an object with `hex` or `filled`.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if the digits are not hexadecimal, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        if let text = try? String(from: decoder) {
            self = .text(text)
            return
        }
        let members = try decoder.members(["hex", "filled"], of: "bytes", or: "a string")
        let hex = try members.decodeIfPresent(String.self, forKey: "hex")
        let filled = try members.decodeIfPresent(Int.self, forKey: "filled")
        switch (hex, filled) {
        case (let hex?, nil):
            let digits = hex.filter { $0 != " " }
            guard let bytes = digits.isEmpty ? [UInt8]() : HexText.bytes(of: digits) else {
                throw MockFaultError.malformed(
                    "\"hex\" must be pairs of the digits 0 to 9 and a to f. Spaces are allowed.")
            }
            self = .bytes(bytes)
        case (nil, let count?): self = .filled(count)
        default:
            throw MockFaultError.malformed("Bytes must be a string, or an object with either \"hex\" or \"filled\".")
        }
    }

    /// Encodes the same JSON.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text): try text.encode(to: encoder)
        case .bytes(let bytes): try ["hex": HexText.of(bytes)].encode(to: encoder)
        case .filled(let count): try ["filled": count].encode(to: encoder)
        }
    }
}
