import ArgumentParser
import NIOCore
import NIOPosix
import PushCommandLine
internal import PushPlatform

/// The root command. Each subcommand has its own file; the folders Options and Terminal have the shared code.
struct Pushsend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushsend",
        abstract: "Send Apple push notifications, and test senders against a local mock of APNs.",
        discussion: """
            Try it without an Apple account:
              pushsend try

            Guides and reference: \(Documentation.address())
            """,
        version: ProgramVersion.text,
        subcommands: [
            SendCommand.self, BatchCommand.self, ChannelCommand.self, ProfileCommand.self, LintCommand.self,
            JWTCommand.self, InspectCommand.self, ExplainCommand.self, DoctorCommand.self, VerifyCommand.self,
            DeliveryCommand.self,
            MockCommand.self, TryCommand.self,
        ]
    )

    /// Parses the command line and runs the command.
    static func obey(on thread: SingleThreadExecutor) async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let (word, path, names) = SubcommandAdvice.unknownHelp(arguments, of: Pushsend.self) {
            throw CommandFailure.usage(CommandLineSuggestion.sentence(forSubcommand: word, after: path, of: names))
        }
        var command = try reading(arguments)
        for warning in Settings.misspeltVariables() { Output.note(warning) }
        if var send = command as? SendCommand, send.isOnePush {
            // Several pushes need other threads: the reader of an outcome may be slow while other pushes are in flight.
            try await send.run(on: thread.loop)
        } else if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}

/// The entry point of the process.
@main
enum EntryPoint {
    static func main() {
        StandardStreams.prepare()
        TerminalLines.fitTerminal()
        do { try OpenFiles.requireEnough() } catch { CommandFailure.from(error).printAndExit() }
        SingleThreadExecutor.run { thread in
            await CommandFailure.ending {
                try ArgumentBytes.requireUTF8()
                try await Pushsend.obey(on: thread)
            }
            Output.exit(.success)
        }
    }
}

/// The main thread as an event loop that also runs the command's tasks.
///
/// For one push, more threads only cost time, to create and to wake them. A command may block this thread while it reads files
/// and asks questions, because there is no connection yet.
final class SingleThreadExecutor: TaskExecutor {
    let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs `body` and everything that it waits for, until the process ends.
    static func run(_ body: @escaping @Sendable (SingleThreadExecutor) async -> Void) -> Never {
        MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
            let thread = SingleThreadExecutor(loop)
            Task(executorPreference: thread) { await body(thread) }
        }
        Output.exit(.ourFault)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
