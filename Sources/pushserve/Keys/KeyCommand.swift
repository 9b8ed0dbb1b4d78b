import ArgumentParser
import PushCommandLine
import PushJSON
import PushQueue
import PushService

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Create, list and revoke the API keys of programs.",
        discussion: """
            A key is valid for some apps, or for all, and has scopes: send (send pushes), read (see jobs and results), cancel, and \
            admin (everything). It is shown once; the database has only its SHA-256. The commands work while the service runs.

            Examples:
              pushserve key create --app shop --scope send,read
              pushserve key list
              pushserve key revoke 4f6k2m9x
            """,
        subcommands: [CreateKeyCommand.self, ListKeysCommand.self, RevokeKeyCommand.self])
}

struct ListKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the API keys, without their secrets.")

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print one JSON object for each key.")
    var json = false

    func run() async throws {
        try await database.with { queue in
            let keys = try await APIKeys(queue).list()
            if json {
                for key in keys { Output.print(key.line) }
            } else if keys.isEmpty {
                Output.print("There are no keys. Create one: pushserve key create --app NAME --scope send,read")
            } else {
                var table = TextTable(["id", "apps", "scopes", "created", "name"])
                for key in keys {
                    table.add([
                        key.id, key.appNames, key.scopeNames.joined(separator: ","),
                        key.created.rfc3339,
                        key.name,
                    ])
                }
                Output.print(table.lines.joined(separator: "\n"))
            }
        }
    }
}

extension KeyScope {
    static let names = allCases.map(\.rawValue)
}

extension APIKey {
    /// The scopes, in the same order for all keys.
    var scopeNames: [String] { KeyScope.allCases.filter(scopes.contains).map(\.rawValue) }

    var appNames: String { isForAllApps ? "all apps" : apps.joined(separator: ", ") }

    /// The app of a key that is for one; empty otherwise.
    var onlyApp: String { isForAllApps || apps.count != 1 ? "" : apps[0] }

    var line: JSONLine {
        var line: JSONLine = [
            "id": .string(id), "apps": .array(apps.map { .string($0) }),
            "scopes": .array(scopeNames.map { .string($0) }), "created_at": .string(created.rfc3339),
        ]
        if !name.isEmpty { line["name"] = .string(name) }
        return line
    }
}
