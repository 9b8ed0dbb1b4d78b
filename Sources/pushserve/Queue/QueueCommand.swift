import ArgumentParser
import PushCommandLine
import PushQueue

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Inspect and change the service's queue.",
        discussion: """
            The commands work on the database itself, a SQLite file or PostgreSQL. All except "export" and "import" can be used while \
            the service runs.

            Examples:
              pushserve queue stats
              pushserve queue list --dead
              pushserve queue retry --dead --app shop
            """,
        subcommands: [
            StatsCommand.self, ListCommand.self, ShowCommand.self, RetryCommand.self, BuryCommand.self,
            CancelCommand.self, PurgeCommand.self, ExportCommand.self, ImportCommand.self, UnsealCommand.self,
        ])
}

struct UnsealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseal",
        abstract: "Unseal a queue that was exported but not imported, so that it can be used again.",
        discussion: """
            Example:
              pushserve queue unseal --database /var/lib/pushserve/pushserve.sqlite

            The files that were exported before can't be imported afterwards. Once an import has begun, the queue stays sealed, because \
            its pushes would be sent twice.
            """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        try await TransferSource.with(try database.filePath(for: "unseal")) { source in
            let wasSealed = try await source.unseal(audit: .command("queue.unseal", app: ""))
            Output.print(wasSealed ? "The queue can be used again." : "The queue isn't sealed.")
        }
    }
}
