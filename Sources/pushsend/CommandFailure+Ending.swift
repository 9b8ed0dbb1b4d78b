import ArgumentParser

extension CommandFailure {
    /// Runs a command. If it throws, prints the error or the requested help, and ends the process.
    static func ending(_ command: () async throws -> Void) async {
        do {
            try await command()
        } catch let failure as CommandFailure {
            failure.printAndExit()
        } catch {
            CommandFailure(parsing: error)?.printAndExit()
            answer(error)
        }
    }

    /// Prints the requested output of `--help`, `--version` or a completion script, and ends the process.
    ///
    /// argument-parser prints through a buffer, and does not report a failed write.
    private static func answer(_ request: any Error) -> Never {
        let text = Pushsend.fullMessage(for: request)
        guard Pushsend.exitCode(for: request) == .success else {
            CommandFailure(status: .ourFault, message: text).printAndExit()
        }
        if !text.isEmpty { Output.print(CompletionScript.mended(text)) }
        Output.exit(.accepted)
    }
}
