import ArgumentParser
import MockAPNs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct MockReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Waits until the mock accepts connections.",
        discussion: """
            Example:
              pushsend mock & pushsend mock ready && ./test-my-sender

            It makes a TLS connection to the mock of the state folder and checks its certificate, so that another server on the \
            same port does not count. Exit code 0 when the mock is ready, 69 when it was not in time.
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

    /// Proves that the mock of the state folder listens, and not something else on its port.
    private static func connect(to note: MockNote) async throws {
        guard let authority = try? Data(contentsOf: URL(filePath: note.authorityFile)) else {
            throw CommandFailure(
                status: .noSuchFile, message: "The CA file of the mock, \(note.authorityFile), cannot be read.")
        }
        do {
            try await MockProof.prove(host: note.host, port: note.port, authorityPEM: Array(authority))
        } catch .nobodyListens {
            throw CommandFailure(
                status: .cannotConnect,
                message: "The mock that was started on \(note.endpoint) does not answer: it may have been killed."
            )
        } catch .stranger(let why) {
            throw CommandFailure(
                status: .cannotConnect,
                message: """
                    What listens on \(note.endpoint) is not the mock of this state folder (\(why)): the mock may have been killed.
                    """
            )
        }
    }
}
