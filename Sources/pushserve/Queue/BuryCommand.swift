import ArgumentParser
import PushCommandLine
import PushQueue

struct BuryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bury",
        abstract: "Turn jobs that haven't been started into dead letters.",
        discussion: """
            Example:
              pushserve queue bury 0b0e9d5c-1f5e-4a58-9c39-3c1c2d3f7a10 \\
                --reason "wrong text"

            "pushserve queue retry" puts a dead letter back into the queue.

            Exit codes: \(ExitStatus.success.code) all were buried, \(ExitStatus.rejected.code) some were not.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var jobs: JobArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The reason, which is shown as the detail of the job.", valueName: "text"))
    var reason = "Buried by an operator."

    @Flag(help: "Print one JSON object for each job.")
    var json = false

    func validate() throws {
        if jobs.ids.isEmpty { throw ValidationError("Give the id of a job.") }
    }

    func run() async throws {
        var report = StopReport(json: json)
        try await database.with { queue in
            let (known, unknown) = try await jobs.sorted(queue)
            for (app, ids) in known {
                let audit = QueueAudit.command("notification.bury", "notifications.bury", app: app, ids)
                let results = try await queue.bury(ids, app: app, detail: reason, audit: audit)
                for (id, result) in zip(ids, results) { report.add(id, app: app, result, done: "buried") }
            }
            for id in unknown { report.addUnknown(id) }
        }
        report.end()
    }
}
