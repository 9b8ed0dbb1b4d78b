import ArgumentParser
import NIOCore
import NIOPosix

struct MockReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Waits until the mock accepts connections.",
        discussion: """
            Example:
              pushsend mock & pushsend mock ready && ./test-my-sender

            It asks for the mock of the state folder. Exit code 0 when it is ready, 69 when it was not in time.
            """
    )

    @Option(help: ArgumentHelp("How long to wait at the most; 10s by default.", valueName: "duration"))
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
        let end = ContinuousClock.now + (timeout?.duration ?? .seconds(10))
        while true {
            do {
                let note = try MockNote.read(state.path)
                try await Self.connect(to: note)
                if !quiet { _ = Output.offer("The mock is ready on \(note.endpoint).") }
                return
            } catch {
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private static func connect(to note: MockNote) async throws {
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(2))
                .connect(host: note.host, port: note.port).get()
            try await channel.close()
        } catch {
            throw CommandFailure(
                status: .cannotConnect,
                message: "The mock that was started on \(note.endpoint) does not answer: it may have been killed."
            )
        }
    }
}
