internal import PushJSON
import PushPlatform
package import PushQueue

/// The stored data of a key. The key itself is not stored, only its digest.
package struct APIKey: Sendable, Hashable {
    /// The public part of the key: 8 letters and digits.
    package var id: String
    /// A note on the purpose of the key; empty for no note.
    package var name: String
    /// The apps that the key is for; `*` is for all apps, also later ones.
    package var apps: [String]
    package var scopes: Set<KeyScope>
    package var created: QueueTime

    package static let allApps = "*"

    /// A number from 0 to 65,535 that other keys seldom have (FNV-1a of ``id``). A push has it, to tell which key sent it.
    package var number: Int {
        Int(id.utf8.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 } & 0xFFFF)
    }

    package var isForAllApps: Bool { apps.contains(Self.allApps) }

    package func isFor(_ app: String) -> Bool { isForAllApps || apps.contains(app) }

    package func may(_ scope: KeyScope) -> Bool { scopes.contains(scope) || scopes.contains(.admin) }
}

/// Names a key without holding it.
struct KeyProof: Sendable, Hashable {
    var id: String
    /// SHA-256 of the whole key.
    var digest: [UInt8]
}

struct StoredKey: Sendable, Hashable {
    var key: APIKey
    /// SHA-256 of the whole key.
    var digest: [UInt8]

    var encoded: [UInt8] {
        PushJSONValue.object([
            "name": .string(key.name), "apps": .array(key.apps.map(PushJSONValue.string)),
            "scopes": .array(key.scopes.map(\.rawValue).sorted().map(PushJSONValue.string)),
            "created": .integer(Int(key.created.milliseconds)), "sha256": .string(HexText.of(digest)),
        ]).encoded
    }

    init(key: APIKey, digest: [UInt8]) {
        (self.key, self.digest) = (key, digest)
    }

    /// `nil` if the record is damaged.
    init?(_ record: QueueServiceRecord) {
        guard let value = PushJSONValue(json: record.value), case .string(let name)? = value["name"],
            case .array(let apps)? = value["apps"], case .array(let scopes)? = value["scopes"],
            case .integer(let created)? = value["created"], case .string(let hex)? = value["sha256"],
            let digest = HexText.bytes(of: hex)
        else { return nil }
        key = APIKey(
            id: record.key, name: name, apps: apps.compactMap(\.text),
            scopes: Set(scopes.compactMap { $0.text.flatMap { KeyScope(rawValue: $0) } }),
            created: QueueTime(milliseconds: Int64(created)))
        self.digest = digest
    }
}

package enum KeyScope: String, Sendable, Hashable, CaseIterable {
    case send
    /// See jobs, results, counts and gone tokens.
    case read
    case cancel
    /// Everything, also to put dead letters into the queue again and to forget that tokens are gone.
    case admin
}
