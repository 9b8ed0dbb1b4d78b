import ArgumentParser
import PushCommandLine
import PushPlatform
import PushQueue
import PushService

struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Put dead letters back into the queue, as new jobs.",
        discussion: """
            Examples:
              pushserve queue retry 0b0e9d5c-1f5e-4a58-9c39-3c1c2d3f7a10
              pushserve queue retry --dead --app shop --ttl 2h

            Each dead letter can be put back once. The new job has a new id, which the old job shows as \
            redriven_as. A delivery time in the future stays as it is.

            Exit codes: \(ExitStatus.success.code) all were put back into the queue, \(ExitStatus.rejected.code) some \
            were not.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var jobs: JobArguments

    @Flag(help: "All dead letters of the app.")
    var dead = false

    @Option(
        help: ArgumentHelp("When the new jobs expire, such as 30m or 2h. Default: never.", valueName: "duration"))
    var ttl: LifetimeArgument?

    @Flag(help: "Print one JSON object for each job.")
    var json = false

    func validate() throws {
        if dead != jobs.ids.isEmpty { throw ValidationError("Give either the ids of jobs, or --dead and --app.") }
        if dead, jobs.app == nil {
            throw ValidationError("--dead is for the dead letters of one app. Give --app, too.")
        }
    }

    func run() async throws {
        var report = StopReport(json: json)
        try await database.with { queue in
            report.isComplete = try await AppNames.areKnown(jobs.app, queue, database)
            if dead, let app = jobs.app {
                try await redriveAll(app, queue, &report)
            } else {
                let (known, unknown) = try await jobs.sorted(queue)
                for (app, ids) in known { try await redrive(ids, app, queue, &report) }
                for id in unknown { report.addUnknown(id) }
            }
        }
        report.end()
    }

    private func redriveAll(_ app: String, _ queue: any QueueBackend, _ report: inout StopReport) async throws {
        var query = QueueJobQuery(app: app, filter: .deadLetters, limit: 1000)
        while true {
            let page = try await queue.jobs(query)
            try await redrive(page.items.filter { $0.redrivenAs == nil }.map(\.id), app, queue, &report)
            guard let next = page.next, !page.items.isEmpty else { return }
            query.after = next
        }
    }

    private func redrive(
        _ ids: [UUID], _ app: String, _ queue: any QueueBackend, _ report: inout StopReport
    ) async throws {
        guard !ids.isEmpty else { return }
        let expiry: NewQueueJob.Expiry = ttl.map { .after($0.duration) } ?? .never
        let object = ids.count == 1 ? JobText.text(ids[0]) : nil
        let entry = QueueAuditEntry.command("dead_letters.redrive", app: app, object: object)
        let results = try await queue.redrive(ids, app: app, expiry: expiry, audit: entry.counting)
        let made = try await RedrivenJob.find(results, of: ids, app: app, queue)
        for (id, result) in zip(ids, results) {
            switch result {
            case .queued(let new):
                report.add(
                    id, app: app, "queued", Self.text(new, made[new]), isDone: true, newID: new,
                    more: made[new]?.members ?? [])
            case .redriven(let new):
                report.add(
                    id, app: app, "redriven", "was put back into the queue before, as \(JobText.text(new))",
                    isDone: true, newID: new)
            case .notBuried: report.add(id, app: app, "not_buried", "isn't a dead letter", isDone: false)
            case .erased:
                report.add(id, app: app, "erased", "can't be sent again: its payload was erased", isDone: false)
            case .unknownJob: report.addUnknown(id)
            }
        }
    }

    /// What became of a dead letter, with what is different now.
    private static func text(_ id: UUID, _ made: RedrivenJob?) -> String {
        guard let made else { return "waits again as \(JobText.text(id))" }
        let time = made.new.due > made.new.queued ? " until \(made.new.due.rfc3339)" : ""
        return (["waits again as \(JobText.text(id))\(time)."] + made.changes).joined(separator: " ")
    }
}
