internal import PushWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A key that your server and the app share, and nobody between them: 256 bits, with a name.
///
/// The name is in every payload that is sealed with the key, so that keys can be changed while old payloads are on their way.
/// The bytes are wiped from memory when nobody needs them any more, and are never printed. A key is good for some thousand
/// million payloads. Make one with `openssl rand -base64 32`.
public struct SealingKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The name, up to 32 of the letters, digits, `-` and `_`.
    public let id: String
    let secret: SecretBuffer

    /// Takes the bytes of a key.
    ///
    /// - Parameters:
    ///   - id: The name.
    ///   - bytes: 32 bytes. They are copied: wipe your own.
    /// - Throws: ``SealingError`` for a name or a length that cannot be.
    public init(id: String, bytes: some Collection<UInt8>) throws(SealingError) {
        guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(Self.isNameByte) else { throw .badKeyID(id) }
        guard bytes.count == AES256GCM.keyByteCount else { throw .badKeyLength(bytes.count) }
        self.id = id
        secret = SecretBuffer(bytes)
    }

    /// Takes a key as text, as it is kept in a file or a variable.
    ///
    /// - Parameters:
    ///   - id: The name.
    ///   - base64: 32 bytes in base64; space around it is passed over.
    /// - Throws: ``SealingError`` for a name that cannot be, or a text that is no such key.
    public init(id: String, base64: String) throws(SealingError) {
        let text = base64.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        guard var data = Data(base64Encoded: String(text)) else { throw .noBase64Key }
        var bytes = Array(data)
        defer {
            SecretBytes.wipe(&bytes)
            data.resetBytes(in: data.startIndex..<data.endIndex)
        }
        try self.init(id: id, bytes: bytes)
    }

    /// The name, and nothing of the key.
    public var description: String { "sealing key \(id)" }

    /// Shows a mirror the name, and nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }

    /// Two are the same when name and bytes are.
    public static func == (left: SealingKey, right: SealingKey) -> Bool {
        left.id == right.id
            && left.secret.withBytes { left in right.secret.withBytes { right in left.elementsEqual(right) } }
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
