import ArgumentParser
import PushCommandLine
import PushDelivery
import PushPlatform
import PushQueue
import PushService

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel jobs that haven't been started.",
        discussion: """
            Examples:
              pushserve queue cancel 0b0e9d5c-1f5e-4a58-9c39-3c1c2d3f7a10
              pushserve queue cancel --all --app shop
              pushserve queue cancel --suspected --app shop

            --suspected cancels the jobs that Apple refused before the app stopped because its device tokens don't match \
            its setup. Those that weren't tried yet go on waiting.

            Exit codes: \(ExitStatus.success.code) all were cancelled, \(ExitStatus.rejected.code) some were not.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var jobs: JobArguments

    @Flag(help: "All waiting jobs of the app.")
    var all = false

    @Flag(help: "The jobs that Apple refused because device tokens and setup don't seem to match.")
    var suspected = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        let isSelection = all || suspected
        if isSelection != jobs.ids.isEmpty || (all && suspected) {
            throw ValidationError("Give either the ids of jobs, or --all and --app, or --suspected and --app.")
        }
        if isSelection, jobs.app == nil {
            throw ValidationError("\(all ? "--all" : "--suspected") is for the jobs of one app. Give --app, too.")
        }
    }

    func run() async throws {
        var report = StopReport(json: json)
        try await database.with { queue in
            report.isComplete = try await AppNames.areKnown(jobs.app, queue, database)
            if suspected, let app = jobs.app {
                let entry = QueueAuditEntry.command("notifications.cancel", app: app, object: "suspected")
                let cancelled = try await SuspectedJobs.cancel(of: app, in: queue, audit: entry.counting)
                report.print(cancelled, "suspected job", of: app)
            } else if all, let app = jobs.app {
                let entry = QueueAuditEntry.command("notifications.cancel", app: app)
                let cancelled = try await queue.cancelAll(app: app, audit: entry.counting)
                report.print(cancelled, "job", of: app)
            } else {
                let (known, unknown) = try await jobs.sorted(queue)
                for (app, ids) in known {
                    let audit = QueueAudit.command("notification.cancel", "notifications.cancel", app: app, ids)
                    let results = try await queue.cancel(ids, app: app, audit: audit)
                    for (id, result) in zip(ids, results) { report.add(id, app: app, result, done: "cancelled") }
                }
                for id in unknown { report.addUnknown(id) }
            }
        }
        report.end()
    }
}
