import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushJSON
import PushQueue
import PushService

struct RevokeKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke API keys.",
        discussion: """
            Example:
              pushserve key revoke 4f6k2m9x

            A running service refuses the key after some seconds. Jobs sent with the key stay in the queue.

            Exit codes: \(ExitStatus.success.code) all were revoked, \(ExitStatus.rejected.code) some don't exist.
            """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: ArgumentHelp("The ids of the keys, as \"key list\" shows them.", valueName: "id"))
    var ids: [String] = []

    @Flag(help: "Print one JSON object for each key.")
    var json = false

    func validate() throws {
        if ids.isEmpty { throw ValidationError("Give the id of a key.") }
    }

    func run() async throws {
        var isComplete = true
        try await database.with { queue in
            let keys = APIKeys(queue)
            let known = Dictionary(try await keys.list().map { ($0.id, $0) }) { first, _ in first }
            for given in ids {
                let id = Self.id(given)
                let entry = known[id].map { key in
                    let scopes = key.scopeNames.joined(separator: ", ")
                    return QueueAuditEntry.command(
                        "key.revoke", app: key.onlyApp, object: id,
                        before: key.name.isEmpty ? scopes : "\(key.name) (\(scopes))")
                }
                let existed = try await keys.revoke(id, audit: entry)
                if !existed { isComplete = false }
                if json {
                    Output.print(["id": .string(id), "result": .string(existed ? "revoked" : "unknown")])
                } else {
                    Output.print("\(id.printable)  \(existed ? "revoked" : "doesn't exist")")
                }
            }
        }
        if !isComplete { Output.exit(.rejected) }
    }

    /// The id in a whole key, which a user may paste.
    private static func id(_ given: String) -> String {
        guard given.hasPrefix("psk_") else { return given }
        return String(given.dropFirst("psk_".count).prefix { $0 != "_" })
    }
}
