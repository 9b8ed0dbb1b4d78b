import ArgumentParser
import PushCommandLine

extension CommandFailure {
    /// Runs a command. If it throws, prints the error or the requested help, and ends the process.
    static func ending(_ command: () async throws -> Void) async {
        do {
            try await command()
        } catch let failure as CommandFailure {
            failure.printAndExit()
        } catch let slip as CommandLineSlip {
            CommandFailure.usage(slip.sentence).printAndExit()
        } catch {
            CommandFailure(parsing: error, in: Array(CommandLine.arguments.dropFirst()))?.printAndExit()
            answer(error)
        }
    }

    /// Prints the requested output of `--help`, `--version` or a completion script, and ends the process.
    ///
    /// argument-parser prints through a buffer, and does not report a failed write.
    private static func answer(_ request: any Error) -> Never {
        var text = Pushsend.fullMessage(for: request)
        guard Pushsend.exitCode(for: request) == .success else {
            CommandFailure(.ourFault, text).printAndExit()
        }
        if text == Pushsend.helpMessage() { text = HelpText.adding("EXIT CODES", Explanation.exitCodeRows, to: text) }
        if !text.isEmpty { Output.print(CompletionScript.mended(HelpText.fitted(text))) }
        Output.exit(.success)
    }
}
