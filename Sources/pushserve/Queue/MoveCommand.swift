import APNSVocabulary
import ArgumentParser
import PushPlatform
import PushQueue
import PushQueuePostgres

struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move all waiting jobs from a file to PostgreSQL.",
        discussion: """
            Examples:
              pushserve queue move --from sqlite:/var/lib/pushserve/pushserve.sqlite \\
                --to postgres://pushserve@db1/pushserve --dry-run
              pushserve queue move --from sqlite:/var/lib/pushserve/pushserve.sqlite \\
                --to postgres://pushserve@db1/pushserve

            First stop the service that uses the file. Afterwards, set "database" in the configuration to the address, with all its \
            parameters, and start the service. A service may already use the target.

            Jobs without an outcome move with their ids, and so do campaigns that have not ended, dedupe and idempotency keys, gone \
            tokens, API keys, pauses and logins. Finished jobs and dead letters stay in the file, which is read-only \
            afterwards.

            The command can be stopped at any time. Run it again, and it continues where it stopped.

            Exit codes: \(ExitStatus.success.code) everything has arrived, \(ExitStatus.partly.code) something is missing in the \
            target, \(ExitStatus.tryAgain.code) a process is still sending, or webhooks have not delivered all outcomes, \
            \(ExitStatus.interrupted.code) ended by Ctrl-C.
            """)

    @Option(help: ArgumentHelp("The file with the queue.", valueName: "sqlite:path"), completion: .file())
    var from: String

    @Option(
        help: ArgumentHelp(
            """
            The PostgreSQL address. Default: PUSHSERVE_DATABASE. Use the variable if the address has a password: other users can \
            see arguments.
            """,
            valueName: "address"))
    var to: String?

    @Flag(help: "Move even if webhooks have not delivered all outcomes. Those outcomes stay in the file.")
    var leaveResults = false

    @Flag(help: "Finish the move even if jobs were erased in the target since.")
    var acceptMissing = false

    @Flag(help: "Show what would be moved, without changing anything.")
    var dryRun = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let (path, address) = try endpoints()
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(
                status: .noSuchFile,
                message: """
                    There is no database "\(path.printable)". Give the file that the service used with --from.
                    """)
        }
        let move = MoveRun(
            path: path, address: address, leavesResults: leaveResults, acceptsMissing: acceptMissing,
            json: json)
        do {
            try await dryRun ? move.dryRun() : move.run()
        } catch {
            throw CommandFailure.from(error)
        }
    }

    /// The file and the server.
    private func endpoints() throws -> (String, PostgresAddress) {
        guard let to = to ?? Variables.ofProcess["PUSHSERVE_DATABASE"] else {
            throw CommandFailure.usage("Give the PostgreSQL address with --to, or in PUSHSERVE_DATABASE.")
        }
        let here = FileManager.default.currentDirectoryPath
        let (source, target) = (try QueueLocation(from, in: here), try QueueLocation(to, in: here))
        guard case .file(let path) = source else {
            throw CommandFailure.usage(
                "A queue can only be moved from a file to PostgreSQL. Give the path of a file with --from.")
        }
        guard case .server(let address) = target else {
            throw CommandFailure.usage(
                """
                A queue can only be moved from a file to PostgreSQL. Give an address such as \
                postgres://pushserve@db.example.com/pushserve with --to.
                """)
        }
        return (path, address)
    }
}
