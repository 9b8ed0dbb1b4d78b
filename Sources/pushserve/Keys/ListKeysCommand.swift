import ArgumentParser
import PushQueue
import PushService

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
                for key in keys { Output.print(KeyText.line(key)) }
            } else if keys.isEmpty {
                Output.print("There are no keys. Create one: pushserve key create --app NAME --scope send,read")
            } else {
                var table = TextTable(["id", "apps", "scopes", "created", "name"])
                for key in keys {
                    table.add([
                        key.id, KeyText.apps(key), KeyText.scopes(key).joined(separator: ","),
                        key.created.rfc3339,
                        key.name,
                    ])
                }
                Output.print(table.lines.joined(separator: "\n"))
            }
        }
    }
}
