import ArgumentParser

/// The root command. Each subcommand has its own file; the folders Options and Terminal have the shared code.
struct Pushsend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushsend",
        abstract: "Send Apple push notifications, and test senders against a local mock of APNs.",
        discussion: """
            Try it without an Apple account:
              pushsend try

            Exit codes:
            \(Explanation.exitCodeTable)
            """,
        version: PushsendVersion.text,
        subcommands: [
            SendCommand.self, BatchCommand.self, ChannelCommand.self, ProfileCommand.self, LintCommand.self,
            JWTCommand.self, InspectCommand.self, ExplainCommand.self, DoctorCommand.self, MockCommand.self,
            TryCommand.self,
        ]
    )

    /// Parses the command line and runs the command.
    static func obey() async throws {
        try refuseUnknownHelp()
        var command = try parseAsRoot()
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}

extension Pushsend {
    /// Refuses an unknown subcommand, as in `pushsend help sned`. argument-parser would show the general help.
    private static func refuseUnknownHelp() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == "help" else { return }
        var type: any ParsableCommand.Type = Pushsend.self
        for argument in arguments.dropFirst() where !argument.hasPrefix("-") && argument != "help" {
            let subcommands = type.configuration.subcommands
            guard let next = subcommands.first(where: { $0._commandName == argument }) else {
                if subcommands.isEmpty { return }
                throw CommandFailure.usage(
                    CommandLineSuggestion.sentence(forSubcommand: argument, of: subcommands.map { $0._commandName }))
            }
            type = next
        }
    }
}
