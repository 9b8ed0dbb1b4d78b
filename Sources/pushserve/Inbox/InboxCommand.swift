import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import PushQueuePostgres
import PushService

struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Set up the inbox in your own database.",
        discussion: """
            With an inbox, SELECT pushserve.enqueue('shop', '{...}') in your own transaction creates a push if and \
            only if that transaction commits, and outcomes come back in a table.

            Examples:
              pushserve inbox install --database postgres://owner@db/shop
              pushserve inbox grant --role shop --app shop
              pushserve inbox check

            To take the right to send away from a role, delete its rows of the table "sender"; all other rights, with REVOKE.
            """,
        subcommands: [InstallInboxCommand.self, GrantInboxCommand.self, CheckInboxCommand.self])
}

/// In which databases the commands work.
struct InboxOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database with the inbox: postgres://USER@HOST/DATABASE. Default: the inboxes of the configuration.",
            valueName: "address"))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "The schema of the inbox. Default: that of the address (?schema=NAME), or pushserve.", valueName: "name"))
    var schema: String?

    @OptionGroup var configuration: ConfigurationOption

    func print(_ sql: (InboxContract) -> String) throws {
        let contract = try InboxContract(schema: schema, in: try database.map { try PostgresAddress($0) })
        Output.print(String(sql(contract).dropLast()))
    }

    func with(_ body: (PostgresInbox) async throws -> Void) async throws {
        let inboxes: [PostgresInbox]
        if let schema { _ = try InboxContract(schema: schema) }
        if let database {
            let address = try PostgresAddress(database)
            inboxes = [PostgresInbox(address, try InboxContract(schema: schema, in: address))]
        } else {
            inboxes = try configuration.load().inboxSettings().map(\.inbox)
                .filter { schema == nil || $0.contract.schema == schema }
        }
        guard !inboxes.isEmpty else {
            throw CommandFailure.usage("The configuration has no such inbox. Give --database, or add \"inbox\" to it.")
        }
        for inbox in inboxes { try await closing(inbox.close) { try await body(inbox) } }
    }
}

struct InstallInboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Make the tables and functions of the inbox, or bring them up to date.",
        discussion: """
            Examples:
              pushserve inbox install --sql > migrations/0042_pushserve.sql
              pushserve inbox install --database postgres://owner@db/shop

            It can be run again. It waits at most two seconds for a lock. A service never does this by itself.
            """)

    @OptionGroup var options: InboxOptions

    @Flag(help: "Print the SQL, for a migration of your own, and run nothing.")
    var sql = false

    func run() async throws {
        if sql { return try options.print(\.sql) }
        try await options.with { inbox in
            try await inbox.install()
            Output.print("The inbox is installed in the schema \(inbox.contract.schema.printable) of \(inbox.address).")
        }
    }
}

struct GrantInboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Let a role send an app's pushes, read outcomes, or act as the service.",
        discussion: """
            Examples:
              pushserve inbox grant --role shop --app shop --outcomes
              pushserve inbox grant --role pushserve --service
            """)

    @OptionGroup var options: InboxOptions

    @Option(help: ArgumentHelp("The role, or a group of roles.", valueName: "name"))
    var role: String

    @Option(help: ArgumentHelp("Let it send pushes of this app. Repeatable.", valueName: "name"))
    var app: [String] = []

    @Flag(help: "Let it insert rows without the functions, as framework models and COPY do.")
    var insert = false

    @Flag(help: "Let it read and delete outcomes, which are those of all apps.")
    var outcomes = false

    @Flag(help: "Grant everything the service needs.")
    var service = false

    @Flag(help: "Print the SQL, for a migration of your own, and run nothing.")
    var sql = false

    func validate() throws {
        if app.isEmpty, !insert, !outcomes, !service {
            throw ValidationError("Say what the role may do: --app, --insert, --outcomes or --service.")
        }
        if let mistake = app.lazy.compactMap(ConfiguredApp.mistake(inName:)).first {
            throw ValidationError("--app: \(mistake) For several apps, repeat --app.")
        }
        if role.isEmpty || role.utf8.contains(0) { throw ValidationError("--role needs the name of a role.") }
    }

    func run() async throws {
        if options.database == nil, !sql, !app.isEmpty {
            let known = try options.configuration.load().settings.map(\.name)
            if let other = app.first(where: { !known.contains($0) }) {
                throw CommandFailure.usage(
                    "--app: The configuration has no app \"\(other.printable)\". \(NearestName.remedy(other, among: known))"
                )
            }
        }
        var rights = app.map { InboxContract.Right.send(app: $0) }
        if insert { rights.append(.insert) }
        if outcomes { rights.append(.outcomes) }
        if service { rights.append(.service) }
        if sql { return try options.print { $0.grant(rights, to: role) } }
        try await options.with { inbox in
            try await inbox.grant(rights, to: role)
            Output.print("The role \(role.printable) has the rights in \(inbox.address).")
        }
    }
}

struct CheckInboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether the inbox is installed, and can be used by the role of the address.",
        discussion: """
            Example:
              pushserve inbox check --config pushserve.yaml
            """)

    @OptionGroup var options: InboxOptions

    @Flag(help: "Print one JSON object for each finding.")
    var json = false

    func run() async throws {
        let apps = options.database == nil ? try options.configuration.load(json: json).settings.map(\.name) : nil
        var status = ExitStatus.success
        try await options.with { inbox in
            for finding in await InboxCheck.findings(inbox, apps) {
                if status == .success { status = finding.status }
                if json { Output.print(finding.line) } else { Output.print(finding.text) }
            }
        }
        Output.exit(status)
    }
}
