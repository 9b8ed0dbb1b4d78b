import ArgumentParser

struct MockReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Wait until the mock accepts connections.",
        discussion: """
            Example:
              pushsend mock & pushsend mock ready && ./test-my-sender

            It reads the state folder, where a running mock holds a lock and writes its address. It makes no connection, so \
            it uses up no fault. The exit code is 0 when the mock is ready, 69 after the timeout, and 77 when the state folder cannot be read.
            """
    )

    @Option(help: ArgumentHelp("How long to wait. Default: 10s.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(name: [.short, .long], help: "Print nothing.")
    var quiet = false

    @OptionGroup var state: StateFolderOption

    func run() async throws {
        do {
            try await waitForMock()
        } catch {
            throw CommandFailure.from(error)
        }
    }

    private func waitForMock() async throws {
        let folder = try state.path
        let end = ContinuousClock.now + (timeout?.duration ?? .seconds(10))
        while true {
            do {
                let note = try Self.noteOfRunningMock(on: folder)
                if !quiet { _ = Output.offer("The mock is ready on \(note.endpoint).") }
                return
            } catch let failure as CommandFailure where failure.status == .credentials {
                // A folder that may not be read does not become readable by waiting.
                throw failure
            } catch {
                let left = ContinuousClock.now.duration(to: end)
                guard left > .zero else { throw error }
                try await Task.sleep(for: min(left, .milliseconds(100)))
            }
        }
    }

    /// What the running mock of a state folder says of itself. It says so once it listens.
    private static func noteOfRunningMock(on folder: String) throws -> MockNote {
        // In this order: a mock that has the hold has removed the note of the one before it.
        let isTaken = StateFolderHold.isTaken(folder)
        let note = try MockNote.read(folder)
        guard isTaken else {
            throw CommandFailure(
                status: .cannotConnect,
                message: """
                    The mock that was started on \(note.endpoint) does not run any more: it may have been killed. Start it again \
                    with "pushsend mock".
                    """
            )
        }
        return note
    }
}
