import PushCommandLine
import PushJSON
import PushService

/// A key in the words of the output.
enum KeyText {
    /// The scopes that a key can have.
    static let knownScopes = KeyScope.allCases.map(\.rawValue)

    /// The scopes of a key, in the same order for all keys.
    static func scopes(_ key: APIKey) -> [String] {
        KeyScope.allCases.filter(key.scopes.contains).map(\.rawValue)
    }

    static func apps(_ key: APIKey) -> String {
        key.isForAllApps ? "all apps" : key.apps.joined(separator: ", ")
    }

    /// The app of a key that is for one; empty otherwise.
    static func onlyApp(_ key: APIKey) -> String { key.isForAllApps || key.apps.count != 1 ? "" : key.apps[0] }

    static func line(_ key: APIKey) -> JSONLine {
        var line = JSONLine()
        line["id"] = .string(key.id)
        line["name"] = key.name.isEmpty ? nil : .string(key.name)
        line["apps"] = .array(key.apps.map { .string($0) })
        line["scopes"] = .array(scopes(key).map { .string($0) })
        line["created_at"] = .string(key.created.rfc3339)
        return line
    }
}
