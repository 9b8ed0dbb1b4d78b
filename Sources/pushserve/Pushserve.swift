import ArgumentParser
import PushCommandLine
internal import PushPlatform

/// The root command. Each subcommand has a folder of its own; the folders Configuration and Terminal have the shared code.
struct Pushserve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushserve",
        abstract: "A push service: a durable queue in front of APNs.",
        discussion: """
            Programs send it notifications over HTTP. Each is on disk before it is acknowledged, is sent when it is due, and ends in \
            one recorded outcome.

            Examples:
              pushserve check --config pushserve.yaml
              pushserve run --config pushserve.yaml
              pushserve key create --app shop --scope send,read
              pushserve queue stats

            Guides and reference: \(Documentation.address())
            """,
        version: ProgramVersion.text,
        subcommands: [RunCommand.self, CheckCommand.self, QueueCommand.self, KeyCommand.self, InboxCommand.self])
}

/// The entry point of the process.
@main
enum EntryPoint {
    static func main() async {
        StandardStreams.prepare()
        do {
            try ArgumentBytes.requireUTF8()
            let arguments = Array(CommandLine.arguments.dropFirst())
            if let (word, path, names) = SubcommandAdvice.unknownHelp(arguments, of: Pushserve.self) {
                throw CommandFailure.usage(
                    SubcommandAdvice.sentence(for: word, after: path, of: names, others: CommandFailure.otherNames))
            }
            var command = try Pushserve.reading(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            failure.printAndExit()
        } catch let slip as CommandLineSlip {
            CommandFailure.usage(slip.sentence).printAndExit()
        } catch {
            CommandFailure.ofParsing(error, in: Array(CommandLine.arguments.dropFirst()))?.printAndExit()
            answer(error)
        }
        Output.exit(.success)
    }

    /// Prints the requested output of `--help`, `--version` or a completion script, and ends the process.
    private static func answer(_ request: any Error) -> Never {
        guard Pushserve.exitCode(for: request) == .success else { CommandFailure.from(request).printAndExit() }
        var text = Pushserve.fullMessage(for: request)
        if text == Pushserve.helpMessage() { text = HelpText.adding("EXIT CODES", ExitCodes.rows, to: text) }
        if !text.isEmpty { Output.print(HelpText.fitted(text)) }
        Output.exit(.success)
    }
}
