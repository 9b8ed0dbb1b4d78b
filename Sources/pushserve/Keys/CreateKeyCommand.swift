import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushJSON
import PushPlatform
import PushQueue
import PushService

struct CreateKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an API key, and print it.",
        discussion: """
            Examples:
              pushserve key create --app shop --scope send
              pushserve key create --app shop,news --scope send,read \\
                --name "the shop's backend"
              pushserve key create --all-apps --scope admin

            The key is printed on standard output, everything else on standard error. The key can't be shown again.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: ArgumentHelp("The apps of the key, separated by commas. Repeatable.", valueName: "name"))
    var app: [String] = []

    @Flag(help: "The key is valid for all apps, including apps added later.")
    var allApps = false

    @Option(
        help: ArgumentHelp(
            "What the key may do: send, read, cancel, admin; separated by commas. Repeatable.",
            valueName: "scope"), completion: .list(KeyScope.names))
    var scope: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("What the key is for, shown in the list.", valueName: "text"))
    var name = ""

    @Flag(help: "Print one JSON object.")
    var json = false

    private var apps: [String] { allApps ? [APIKey.allApps] : Self.names(app) }

    private static func names(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",").map { $0.filter { !$0.isWhitespace } } }.filter { !$0.isEmpty }
    }

    func validate() throws {
        if allApps != Self.names(app).isEmpty { throw ValidationError("Give either --app NAME or --all-apps.") }
        if !allApps, let mistake = apps.lazy.compactMap(ConfiguredApp.mistake).first { throw ValidationError(mistake) }
        let scopes = Self.names(scope)
        let known = KeyScope.names
        guard !scopes.isEmpty else {
            throw ValidationError("Give --scope: one or more of \(known.joined(separator: ", ")).")
        }
        if let wrong = scopes.first(where: { !known.contains($0) }) {
            throw ValidationError(
                "Unknown scope \"\(wrong.printable)\". \(NearestName.remedy(wrong, among: known))")
        }
        guard name.utf8.count <= 200 else { throw ValidationError("--name can have at most 200 bytes.") }
    }

    func run() async throws {
        try refuseUnknownApps()
        let scopes = Set(Self.names(scope).compactMap { KeyScope(rawValue: $0) })
        // The first key may be made before the service has run.
        try await database.with(createsFile: true) { queue in
            let (text, key) = try await APIKeys(queue).create(apps: apps, scopes: scopes, name: name) { key in
                .command(
                    "key.create", app: key.onlyApp, object: key.id, name: key.name.isEmpty ? nil : key.name,
                    after: "\(key.scopeNames.joined(separator: ", ")) for \(key.appNames)")
            }
            var output = Array(text.utf8)
            if json {
                var line = key.line
                line["key"] = .string(text)
                output = line.bytes
            } else {
                Output.note(
                    """
                    The key \(key.id) may \(key.scopeNames.joined(separator: ", ")) for \(key.appNames). Store it now. It \
                    can't be shown again.
                    """)
            }
            try await Output.print(output + [UInt8(ascii: "\n")]) {
                let entry = QueueAuditEntry.command(
                    "key.revoke", app: key.onlyApp, object: key.id, before: key.scopeNames.joined(separator: ", "))
                _ = try await APIKeys(queue).revoke(key.id, audit: entry)
                Output.note("The key can't be printed, so it's revoked.")
            }
        }
    }

    /// Refuses apps that the configuration does not have. Without a configuration, each name is taken.
    private func refuseUnknownApps() throws {
        guard !allApps, database.database == nil || database.config != nil,
            let configured = try? database.appNames(), let unknown = apps.first(where: { !configured.contains($0) })
        else { return }
        let advice = NearestName.remedy(unknown, among: configured.sorted())
        throw CommandFailure.usage(
            "The configuration has no app \"\(unknown.printable)\". \(advice) Add a new app to the configuration first."
        )
    }
}
