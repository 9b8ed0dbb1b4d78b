import ArgumentParser
import PushCommandLine

struct MockResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Reset the running mock to its state at the start.",
        discussion: """
            Example:
              pushsend mock reset

            It empties the log and the list of violations, removes channels, moves the clock back to the system's time, and \
            restores settings, keys, faults, devices and the scenario of the mock's command line. Connections stay open.
            """
    )

    @OptionGroup var target: ConsoleTarget

    func run() async throws {
        _ = try await target.client().demand("POST", "/reset", body: Array("{}".utf8))
    }
}

struct MockStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop the running mock.",
        discussion: """
            Example:
              pushsend mock stop

            The mock finishes as with Ctrl-C. The command waits until it has ended.
            """
    )

    @OptionGroup var state: StateFolderOption

    func run() async throws {
        let folder = try state.path
        let client = try ConsoleClient(stateFolder: folder, namespace: nil)
        let answer = try await client.send("POST", "/stop", body: Array("{}".utf8))
        // A mock that is stopped already says 503, also when it stops before its answer is complete.
        guard answer.status == 503 || (200..<300).contains(answer.status) else {
            throw ConsoleClient.failure(answer)
        }
        let end = ContinuousClock.now + .seconds(10)
        while StateFolderHold.isTaken(folder) {
            guard ContinuousClock.now < end else {
                throw CommandFailure(.unknown, "The mock hasn't ended within 10 s.")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
