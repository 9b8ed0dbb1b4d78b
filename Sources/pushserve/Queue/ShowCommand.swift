import ArgumentParser
import PushPlatform
import PushQueue

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show jobs with their history.",
        discussion: """
            Example:
              pushserve queue show 0b0e9d5c-1f5e-4a58-9c39-3c1c2d3f7a10
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var jobs: JobArguments

    @Flag(help: "Print one JSON object for each job, with complete device tokens.")
    var json = false

    func validate() throws {
        if jobs.ids.isEmpty { throw ValidationError("Give the id of a job.") }
    }

    func run() async throws {
        var missing: [UUID] = []
        try await database.with { queue in
            let (known, unknown) = try await jobs.sorted(queue)
            missing = unknown
            var isFirst = true
            for (app, ids) in known {
                for job in try await queue.jobs(ids, app: app) {
                    let history = try await queue.history(of: job.id, app: app) ?? []
                    if json {
                        Output.print(JobText.line(job, history: history))
                    } else {
                        if !isFirst { Output.print("") }
                        Output.print(JobText.lines(job, history: history).joined(separator: "\n"))
                    }
                    isFirst = false
                }
            }
        }
        try StopReport.refuse(missing)
    }
}
