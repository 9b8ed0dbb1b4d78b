import ArgumentParser

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Look at the queue of the service, and change it.",
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
