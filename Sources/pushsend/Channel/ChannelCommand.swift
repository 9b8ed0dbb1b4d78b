import ArgumentParser
import PushCommandLine
internal import PushJSON
import PushProvider

struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Manage broadcast channels, and send to all their subscribers.",
        discussion: """
            A broadcast updates the Live Activities of all devices that subscribe to a channel (iOS 18 and later), with \
            one request.

            Example:
              pushsend channel create --topic com.example.app --store newest \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ
              pushsend channel send dHN0LXNyY2gtY2hubA== --topic com.example.app \\
                --template live-activity-update \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ

            The two environments have different channels: add -e production for TestFlight and the App Store. With \
            --mock, the commands use a running "pushsend mock".
            """,
        subcommands: [
            ChannelCreateCommand.self, ChannelListCommand.self, ChannelShowCommand.self, ChannelDeleteCommand.self,
            ChannelSendCommand.self,
        ]
    )
}

struct ChannelCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a channel, and print its id.",
        discussion: """
            Example:
              pushsend channel create --topic com.example.app --mock

            Store the id: devices need it to subscribe. An app can have 10,000 channels in each environment.
            """)

    @Option(
        help: ArgumentHelp(
            """
            What APNs stores for devices that are offline: none, or the newest broadcast for up to 8 hours. It can't be \
            changed later. With none, APNs allows more broadcasts.
            """, valueName: "none|newest"))
    var store: StoreArgument = .none

    @OptionGroup var options: ChannelOptions

    func run() async throws {
        try await ChannelSession(options).manage { channels, session in
            let id = try await channels.create(
                for: session.bundleID, storage: store == .newest ? .newest : .none, requestID: session.requestID,
                timeout: session.timeout)
            return (id.description, ["channel": .string(id.description), "store": .string(store.rawValue)])
        }
    }
}

enum StoreArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case newest
}

struct ChannelListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the ids of all channels of an app, one on each line.",
        discussion: """
            Example:
              pushsend channel list --topic com.example.app --mock
            """)

    @OptionGroup var options: ChannelOptions

    func run() async throws {
        try await ChannelSession(options).manage { channels, session in
            let ids = try await channels.ids(
                of: session.bundleID, requestID: session.requestID, timeout: session.timeout
            ).map(\.description)
            if ids.isEmpty, !options.json {
                Output.note("\(session.bundleID.printable) has no channels in \(session.environmentName).")
            }
            return (ids.joined(separator: "\n"), ["channels": .array(ids.map(PushJSONValue.string))])
        }
    }
}

struct ChannelShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a channel stores.",
        discussion: """
            Example:
              pushsend channel show dHN0LXNyY2gtY2hubA== --topic com.example.app --mock
            """)

    @Argument(help: ArgumentHelp("The id of the channel, in base64.", valueName: "channel"))
    var channel: String

    @OptionGroup var options: ChannelOptions

    func run() async throws {
        let id = try ChannelOptions.channel(channel)
        try await ChannelSession(options).manage { channels, session in
            let channel = try await channels.channel(
                id, of: session.bundleID, requestID: session.requestID, timeout: session.timeout)
            let line: JSONLine = [
                "channel": .string(channel.id.description), "push_type": .string(channel.pushType),
                "store": .string(channel.storage == .newest ? "newest" : "none"),
            ]
            let stores =
                channel.storage == .newest
                ? "stores the newest broadcast, for up to 8 hours" : "stores nothing: devices that are offline miss it"
            return ("\(channel.id)  \(stores)", line)
        }
    }
}

struct ChannelDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a channel permanently.",
        discussion: """
            Example:
              pushsend channel delete dHN0LXNyY2gtY2hubA== --topic com.example.app \\
                --mock --yes

            Deleting a channel is permanent: its subscribers receive nothing more. On a terminal, the command \
            asks first.
            """)

    @Argument(help: ArgumentHelp("The id of the channel, in base64.", valueName: "channel"))
    var channel: String

    @Flag(name: [.short, .long], help: "Delete without asking. Scripts need it.")
    var yes = false

    @OptionGroup var options: ChannelOptions

    func run() async throws {
        let id = try ChannelOptions.channel(channel)
        let session = try ChannelSession(options)
        try confirm(id, session)
        try await session.manage { channels, session in
            try await channels.delete(
                id, of: session.bundleID, requestID: session.requestID, timeout: session.timeout)
            return ("deleted \(id)", ["channel": .string(id.description), "deleted": .bool(true)])
        }
    }

    private func confirm(_ id: PushChannel.ID, _ session: ChannelSession) throws {
        if yes { return }
        guard Prompt.isPossible else {
            throw CommandFailure.usage(
                "Deleting a channel is permanent. Give --yes to delete it without being asked.")
        }
        let hint =
            "The channel \(id) of \(session.bundleID.printable) in \(session.environmentName) will be deleted permanently."
        if try !Prompt.agrees("Delete it?", hint: hint) {
            Output.note("Nothing was deleted.")
            Output.exit(.interrupted)
        }
    }
}
