import APNSVocabulary
import ArgumentParser
import MockAPNs
import PushCommandLine
import PushPlatform

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
        do {
            let folder = AbsolutePath.of(try state.path)
            let note = try await MockReadyCommand.note(of: folder, within: timeout?.duration ?? .seconds(10))
            try MockEnvironmentVariables.writeBundle(authorityFile: note.authorityFile, stateFolder: folder)
            let variables = MockEnvironmentVariables(note, stateFolder: folder, setsProxy: proxy.isOn)
            for (name, value) in variables.variables {
                Output.print("export \(name)=\(ShellWord.quoted(value))")
            }
            Output.print("# Magic device tokens:")
            for magic in MockMagicToken.allCases { Output.print("# \(magic.exampleToken)  \(magic.meaning)") }
        } catch {
            throw CommandFailure.from(error)
        }
    }
}
