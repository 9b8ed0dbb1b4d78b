internal import PushPlatform
internal import PushWire

/// The sealed part of a payload: the text `VERSION.KEYID.BOX`.
///
/// Version 1: the box is AES-256-GCM in base64: nonce, ciphertext and tag. The text before it, `1.KEYID`, is the
/// associated data. A change of either is detected.
package struct SealedEnvelope: Hashable {
    /// The key of the envelope in the payload, beside `aps`.
    package static let name = "sealed"
    static let version = "1"

    let version: String
    let keyID: String
    let box: String

    /// Parses a text; `nil` if it is not an envelope of any version.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts.contains(where: \.isEmpty),
            parts[0].utf8.allSatisfy(PushPayload.SealingKey.isNameByte),
            parts[1].utf8.allSatisfy(PushPayload.SealingKey.isNameByte)
        else { return nil }
        (version, keyID, box) = (String(parts[0]), String(parts[1]), String(parts[2]))
    }

    init(_ plaintext: [UInt8], with key: PushPayload.SealingKey) throws(PushSealingError) {
        let authenticated = Array(Self.prefix(key.id).utf8)
        guard let sealed = AES256GCM.seal(plaintext, key: key.secret, authenticating: authenticated) else {
            throw .failed
        }
        version = Self.version
        keyID = key.id
        box = Data(sealed).base64EncodedString()
    }

    func opened(with keys: [PushPayload.SealingKey]) throws(PushSealingError) -> [UInt8] {
        guard version == Self.version else { throw .unknownVersion(version) }
        let named = keys.filter { $0.id == keyID }
        if named.isEmpty { throw .unknownKeyID(keyID) }
        guard let sealed = Data(base64Encoded: box) else { throw .doesNotOpen(keyID) }
        for key in named {
            let authenticated = Array(Self.prefix(keyID).utf8)
            if let opened = AES256GCM.open(Array(sealed), key: key.secret, authenticating: authenticated) {
                return opened
            }
        }
        throw .doesNotOpen(keyID)
    }

    var text: String { "\(version).\(keyID).\(box)" }

    /// The size of the plaintext in bytes, from the length of the box; `nil` for another version or an invalid box.
    package var plaintextByteCount: Int? {
        guard version == Self.version, let box = Data(base64Encoded: box) else { return nil }
        let count = box.count - AES256GCM.nonceByteCount - AES256GCM.tagByteCount
        return count < 0 ? nil : count
    }

    /// Returns the size of the envelope, in bytes, for a plaintext of this size.
    static func byteCount(ofPlaintext count: Int, _ key: PushPayload.SealingKey) -> Int {
        let box = AES256GCM.nonceByteCount + count + AES256GCM.tagByteCount
        return prefix(key.id).utf8.count + 1 + (box + 2) / 3 * 4
    }

    private static func prefix(_ keyID: String) -> String { "\(version).\(keyID)" }
}
