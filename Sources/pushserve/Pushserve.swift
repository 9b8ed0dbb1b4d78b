import ArgumentParser

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

            Exit codes:
            \(ExitStatus.list)
            """,
        version: PushserveVersion.text,
        subcommands: [RunCommand.self, CheckCommand.self, QueueCommand.self, KeyCommand.self])
}

/// The entry point of the process.
@main
enum EntryPoint {
    static func main() async {
        Output.prepare()
        do {
            var command = try Pushserve.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            failure.printAndExit()
        } catch {
            CommandFailure(parsing: error)?.printAndExit()
            answer(error)
        }
        Output.exit(.success)
    }

    /// Prints the requested output of `--help`, `--version` or a completion script, and ends the process.
    private static func answer(_ request: any Error) -> Never {
        guard Pushserve.exitCode(for: request) == .success else { CommandFailure.from(request).printAndExit() }
        let text = Pushserve.fullMessage(for: request)
        if !text.isEmpty { Output.print(text) }
        Output.exit(.success)
    }
}
