internal import PushWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The sealed part of a payload: one text, `VERSION.KEYID.BOX`.
///
/// Version 1: the box is AES-256-GCM, nonce, ciphertext and tag in base64, and what stands before it, `1.KEYID`, is the
/// associated data. Neither of the two can be changed unnoticed.
package struct SealedEnvelope: Hashable {
    /// The key of the payload under which it stands, beside `aps`.
    package static let name = "sealed"
    static let version = "1"

    let version: String
    let keyID: String
    let box: String

    /// Takes a text apart; `nil` when it is no envelope of any version.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts.contains(where: \.isEmpty), parts[0].utf8.allSatisfy(SealingKey.isNameByte),
            parts[1].utf8.allSatisfy(SealingKey.isNameByte)
        else { return nil }
        (version, keyID, box) = (String(parts[0]), String(parts[1]), String(parts[2]))
    }

    /// Seals something.
    init(_ plaintext: [UInt8], with key: SealingKey) throws(SealingError) {
        let authenticated = Array(Self.prefix(key.id).utf8)
        guard let sealed = AES256GCM.seal(plaintext, key: key.secret, authenticating: authenticated) else {
            throw .failed
        }
        version = Self.version
        keyID = key.id
        box = Data(sealed).base64EncodedString()
    }

    /// What was sealed.
    func opened(with keys: [SealingKey]) throws(SealingError) -> [UInt8] {
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

    /// How many bytes were sealed, which the length of the box tells; `nil` for another version, or for no box.
    package var plaintextByteCount: Int? {
        guard version == Self.version, let box = Data(base64Encoded: box) else { return nil }
        let count = box.count - AES256GCM.nonceByteCount - AES256GCM.tagByteCount
        return count < 0 ? nil : count
    }

    /// How long the text is for so many bytes.
    static func byteCount(ofPlaintext count: Int, _ key: SealingKey) -> Int {
        let box = AES256GCM.nonceByteCount + count + AES256GCM.tagByteCount
        return prefix(key.id).utf8.count + 1 + (box + 2) / 3 * 4
    }

    private static func prefix(_ keyID: String) -> String { "\(version).\(keyID)" }
}
