import PushCommandLine
import PushJSON
import PushService

extension KeyScope {
    /// The scopes that a key can have.
    static let names = allCases.map(\.rawValue)
}

/// A key in the words of the output.
extension APIKey {
    /// The scopes, in the same order for all keys.
    var scopeNames: [String] { KeyScope.allCases.filter(scopes.contains).map(\.rawValue) }

    var appNames: String { isForAllApps ? "all apps" : apps.joined(separator: ", ") }

    /// The app of a key that is for one; empty otherwise.
    var onlyApp: String { isForAllApps || apps.count != 1 ? "" : apps[0] }

    var line: JSONLine {
        var line = JSONLine()
        line["id"] = .string(id)
        line["name"] = name.isEmpty ? nil : .string(name)
        line["apps"] = .array(apps.map { .string($0) })
        line["scopes"] = .array(scopeNames.map { .string($0) })
        line["created_at"] = .string(created.rfc3339)
        return line
    }
}
