import ArgumentParser

extension CommandFailure {
    /// Runs a command, and ends the process with what it throws.
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

    /// Prints what was asked for, such as `--help`, `--version` or a completion script, and ends the process.
    ///
    /// argument-parser would print it through a buffer, and not notice when that cannot be written.
    private static func answer(_ wish: any Error) -> Never {
        let text = Pushsend.fullMessage(for: wish)
        guard Pushsend.exitCode(for: wish) == .success else {
            CommandFailure(status: .ourFault, message: text).printAndExit()
        }
        if !text.isEmpty { Output.say(CompletionScript.mended(text)) }
        Output.exit(.accepted)
    }
}
