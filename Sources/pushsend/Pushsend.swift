import ArgumentParser
import PushCommandLine

/// The root command. Each subcommand has its own file; the folders Options and Terminal have the shared code.
struct Pushsend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushsend",
        abstract: "Send Apple push notifications, and test senders against a local mock of APNs.",
        discussion: """
            Try it without an Apple account:
              pushsend try
            """,
        version: PushsendVersion.text,
        subcommands: [
            SendCommand.self, BatchCommand.self, ChannelCommand.self, ProfileCommand.self, LintCommand.self,
            JWTCommand.self, InspectCommand.self, ExplainCommand.self, DoctorCommand.self, MockCommand.self,
            TryCommand.self,
        ]
    )

    /// Parses the command line and runs the command.
    static func obey(on thread: SingleThreadExecutor) async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let (word, path, names) = SubcommandAdvice.unknownHelp(arguments, of: Pushsend.self) {
            throw CommandFailure.usage(CommandLineSuggestion.sentence(forSubcommand: word, after: path, of: names))
        }
        var command = try reading(arguments)
        if var send = command as? SendCommand, send.isOnePush {
            // Several pushes need other threads: the reader of an outcome may be slow while other pushes are in flight.
            try await send.run(on: thread.loop)
        } else if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}
