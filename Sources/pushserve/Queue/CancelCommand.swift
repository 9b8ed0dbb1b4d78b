import ArgumentParser
import PushQueue

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel jobs that have not been started.",
        discussion: """
            Examples:
              pushserve queue cancel 0b0e9d5c-1f5e-4a58-9c39-3c1c2d3f7a10
              pushserve queue cancel --all --app shop

            Exit codes: \(ExitStatus.success.code) all were cancelled, \(ExitStatus.partly.code) some were not.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var jobs: JobArguments

    @Flag(help: "All waiting jobs of the app.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if all != jobs.ids.isEmpty { throw ValidationError("Give either the ids of jobs, or --all and --app.") }
        if all, jobs.app == nil { throw ValidationError("--all is for the jobs of one app. Give --app, too.") }
    }

    func run() async throws {
        var report = StopReport(json: json)
        try await database.with { queue in
            if all, let app = jobs.app {
                var count = 0
                while true {
                    let cancelled = try await queue.cancelAll(app: app, limit: 1000)
                    if cancelled == 0 { break }
                    count += cancelled
                }
                report.print("cancelled", count, app: app, "Cancelled \(count) jobs of \(app).")
            } else {
                let (known, unknown) = try await jobs.sorted(queue)
                for (app, ids) in known {
                    let results = try await queue.cancel(ids, app: app)
                    for (id, result) in zip(ids, results) { report.add(id, app: app, result, done: "cancelled") }
                }
                for id in unknown { report.addUnknown(id) }
            }
        }
        report.end()
    }
}
