import APNSVocabulary
import ArgumentParser
import MockAPNs
import PushCommandLine
internal import PushJSON
import PushPlatform

struct MockReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Wait until the mock accepts connections.",
        discussion: """
            Example:
              pushsend mock & pushsend mock ready && ./test-my-sender

            The command reads the state folder, in which a running mock has a lock and its address. Then it asks the mock's \
            API whether it is that mock. It doesn't connect to the port for pushes, so no fault acts. The exit code is \(ExitStatus.success.code) if the mock is ready, \
            \(ExitStatus.cannotConnect.code) after the timeout, and \(ExitStatus.credentials.code) if the state folder can't \
            be read.
            """
    )

    @Option(help: ArgumentHelp("How long to wait for the mock. Default: 10s.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(name: [.short, .long], help: "Print nothing.")
    var quiet = false

    @OptionGroup var state: StateFolderOption

    func run() async throws {
        let note = try await Self.note(of: try state.path, within: timeout?.duration ?? .seconds(10))
        if !quiet { _ = Output.offer("The mock is ready on \(note.endpoint).") }
    }

    /// Waits for the mock of a state folder.
    static func note(of folder: String, within timeout: Duration) async throws -> MockNote {
        let end = ContinuousClock.now + timeout
        while true {
            do {
                let note = try MockNote.ofRunningMock(on: folder)
                try await check(note, stateFolder: folder)
                return note
            } catch let failure as CommandFailure where failure.status == .credentials {
                // Waiting does not help if there is no permission to read the folder.
                throw failure
            } catch {
                let left = ContinuousClock.now.duration(to: end)
                guard left > .zero else { throw error }
                try await Task.sleep(for: min(left, .milliseconds(100)))
            }
        }
    }

    /// Asks the API of a mock whether it is the mock of the note. Without an answer, the lock of the state folder is the proof that
    /// the mock runs: on a busy machine the API can be slow.
    ///
    /// - Throws: ``CommandFailure`` if another program answers on its port.
    private static func check(_ note: MockNote, stateFolder folder: String) async throws {
        guard let instance = note.instance, note.consolePort != nil else { return }
        let client = try ConsoleClient(stateFolder: folder, namespace: nil)
        guard let answer = try? await client.send("GET", "/setup", wait: .zero) else { return }
        guard answer.json?["instance"] == .string(instance) else {
            throw CommandFailure(
                .cannotConnect,
                """
                The program on \(note.consoleURL ?? note.endpoint) isn't the mock of the state folder "\(folder)". \
                Stop one of them, or restart the mock with other ports.
                """)
        }
    }
}

struct MockEnvCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env",
        abstract: "Print what a program needs to use the running mock, as shell exports.",
        discussion: """
            Example:
              pushsend mock & eval "$(pushsend mock env)" && ./test-my-sender

            The comments at the end list the magic device tokens: each has a fixed answer, without any set-up.
            """
    )

    @Option(help: ArgumentHelp("How long to wait for the mock. Default: 10s.", valueName: "duration"))
    var timeout: DurationArgument?

    @OptionGroup var proxy: ProxyVariableOption

    @OptionGroup var state: StateFolderOption

    func run() async throws {
        let folder = AbsolutePath.of(try state.path)
        let note = try await MockReadyCommand.note(of: folder, within: timeout?.duration ?? .seconds(10))
        try MockEnvironmentVariables.writeBundle(authorityFile: note.authorityFile, stateFolder: folder)
        let variables = MockEnvironmentVariables(note, stateFolder: folder, setsProxy: proxy.isOn)
        for (name, value) in variables.variables {
            Output.print("export \(name)=\(ShellWord.quoted(value))")
        }
        Output.print("# Magic device tokens:")
        for magic in MockMagicToken.allCases { Output.print("# \(magic.exampleToken)  \(magic.meaning)") }
    }
}
