internal import PushPlatform
internal import PushWire

extension PushPayload {
    /// A key that only your server and the app have: 256 bits, with a name.
    ///
    /// The name is in every payload that is sealed with the key, so you can change keys while old payloads are in transit.
    /// The bytes are wiped from memory when the last copy is released, and are never printed. One key is safe for a few
    /// thousand million payloads. Create a key with `openssl rand -base64 32`.
    public struct SealingKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The name: 1 to 32 letters, digits, `-` and `_`.
        public let id: String
        let secret: SecretBuffer

        /// Creates a key from bytes.
        ///
        /// - Parameters:
        ///   - id: The name: 1 to 32 letters, digits, `-` and `_`.
        ///   - bytes: 32 bytes. They are copied: wipe your own copy.
        /// - Throws: ``PushSealingError`` for an invalid name or length.
        public init(id: String, bytes: some Collection<UInt8>) throws(PushSealingError) {
            guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(Self.isNameByte) else { throw .badKeyID(id) }
            guard bytes.count == AES256GCM.keyByteCount else { throw .badKeyLength(bytes.count) }
            self.id = id
            secret = SecretBuffer(bytes)
        }

        /// Creates a key from base64, for example from a file or an environment variable.
        ///
        /// - Parameters:
        ///   - id: The name: 1 to 32 letters, digits, `-` and `_`.
        ///   - base64: 32 bytes in base64; white space around it is ignored.
        /// - Throws: ``PushSealingError`` for an invalid name or key.
        public init(id: String, base64: String) throws(PushSealingError) {
            let text = base64.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
            guard var data = Data(base64Encoded: String(text)) else { throw .noBase64Key }
            var bytes = Array(data)
            defer {
                SecretBytes.wipe(&bytes)
                data.resetBytes(in: data.startIndex..<data.endIndex)
            }
            try self.init(id: id, bytes: bytes)
        }

        /// The name, without the key.
        public var description: String { "sealing key \(id)" }

        /// A mirror with the name, without the key.
        public var customMirror: Mirror { Mirror(self, children: ["id": id]) }

        /// Returns whether two keys have the same name and the same bytes.
        ///
        /// - Parameters:
        ///   - left: A key.
        ///   - right: Another key.
        /// - Returns: Whether they are equal.
        public static func == (left: PushPayload.SealingKey, right: PushPayload.SealingKey) -> Bool {
            left.id == right.id
                && left.secret.withBytes { left in right.secret.withBytes { right in left.elementsEqual(right) } }
        }

        /// Hashes the name of the key.
        ///
        /// - Parameter hasher: The hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(id)
        }

        static func isNameByte(_ byte: UInt8) -> Bool {
            byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}
