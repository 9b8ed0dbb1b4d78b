import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushPlatform
import PushQueue
import PushQueuePostgres

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the file of an export into PostgreSQL.",
        discussion: """
            Examples:
              export PUSHSERVE_DATABASE=postgres://pushserve@db1/pushserve
              pushserve queue import queue.ndjson --from old.sqlite
              pushserve queue import queue.ndjson

            With --from, the exported queue notes which queue its jobs belong to, before the first of them is imported. Afterwards it stays \
            sealed, and no other queue can import them. If it is on another machine, export it there with --for and the id of the \
            queue, which this command shows.

            Until the import is complete, the queue is sealed, too: its workers send and accept nothing. The command can be stopped at \
            any time. Run it again, and it continues where it stopped.

            Exit codes: \(ExitStatus.success.code) everything is in the queue, \(ExitStatus.invalidInput.code) the file is damaged, \
            \(ExitStatus.cannotCreate.code) another queue imports the file, \(ExitStatus.tryAgain.code) workers are still sending, \
            \(ExitStatus.interrupted.code) ended by Ctrl-C.
            """)

    @Argument(help: "The file that pushserve queue export has written.", completion: .file())
    var file: String

    @OptionGroup var database: DatabaseOptions

    @Option(help: ArgumentHelp("The file of the exported queue.", valueName: "database"), completion: .file())
    var from: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        guard case .server(let address) = try database.location() else {
            throw CommandFailure.usage(
                """
                A queue can only be imported into PostgreSQL. Give an address such as postgres://pushserve@db.example.com/pushserve with \
                --database.
                """)
        }
        try await ImportRun(file: file, source: try sourcePath(), address: address, json: json).run()
    }

    private func sourcePath() throws -> String? {
        guard let from else { return nil }
        guard let path = try QueueLocation(from, in: FileManager.default.currentDirectoryPath).path else {
            throw CommandFailure.usage("--from takes the file of the exported queue, not an address.")
        }
        return path
    }
}
