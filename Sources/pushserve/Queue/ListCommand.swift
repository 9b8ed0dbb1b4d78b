import ArgumentParser
import PushCommandLine
import PushJSON
import PushQueue
import PushService

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List jobs, the earliest first.",
        discussion: """
            Examples:
              pushserve queue list --state waiting
              pushserve queue list --app shop --outcome rejected --limit 20 --json

            If there are more jobs, the last line on standard error has the value for --after.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: ArgumentHelp("Only jobs of this app. Default: all apps.", valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("Only jobs in this state.", valueName: "held|waiting|leased|started|finished"))
    var state: NamedArgument<QueueJobState>?

    @Option(help: ArgumentHelp("Only jobs with this outcome.", valueName: "accepted|rejected|unknown|not_sent"))
    var outcome: NamedArgument<QueueJobOutcome.Kind>?

    @Flag(help: "Only dead letters: buried jobs that can be put back into the queue.")
    var dead = false

    @Option(help: ArgumentHelp("The maximum number of jobs of each app, from 1 to 1000.", valueName: "number"))
    var limit = 100

    @Option(help: ArgumentHelp("Only jobs after this cursor. It needs --app.", valueName: "cursor"))
    var after: String?

    @Flag(help: "Print one JSON object for each job.")
    var json = false

    func validate() throws {
        if [state != nil, outcome != nil, dead].count(where: { $0 }) > 1 {
            throw ValidationError(notTogether("--state", "--outcome", "--dead"))
        }
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000.") }
        if after != nil, app == nil { throw ValidationError("--after is the cursor of one app. Give --app, too.") }
    }

    private var filter: QueueJobQuery.Filter {
        if dead { return .deadLetters }
        if let state { return .state(state.value) }
        return outcome.map { .outcome($0.value) } ?? .all
    }

    func run() async throws {
        var isKnown = true
        try await database.with { queue in
            var table = TextTable(["id", "app", "to", "status", "due", "tries"], numbers: [5])
            var count = 0
            var notes: [String] = []
            isKnown = try await AppNames.areKnown(app, queue, database)
            for app in try await AppNames.of(app, queue) {
                var query = QueueJobQuery(app: app, filter: filter, limit: limit)
                query.after = after
                let page = try await queue.jobs(query)
                for job in page.items {
                    if json { Output.print(JobText.line(job)) } else { table.add(Self.row(job)) }
                }
                count += page.items.count
                if let next = page.next, page.items.count == limit {
                    notes.append("There may be more: --app \(app) --after \(next)")
                }
            }
            if !json { Output.print(count == 0 ? "There are no such jobs." : table.lines.joined(separator: "\n")) }
            for note in notes { Output.note(note) }
        }
        if !isKnown { Output.exit(.rejected) }
    }

    private static func row(_ job: QueueJobRecord) -> [String] {
        [
            JobText.text(job.id), job.app, JobText.target(job.target), JobText.status(job),
            job.due.rfc3339,
            String(job.attempts),
        ]
    }
}

/// A value by its name.
struct NamedArgument<Value: NamedCase & SendableMetatype>: RawRepresentable, ExpressibleByArgument, CaseIterable {
    let value: Value

    var rawValue: String { value.name }

    static var allCases: [Self] { Value.names.compactMap(Self.init(rawValue:)) }

    init?(rawValue: String) {
        guard let value = Value(name: rawValue) else { return nil }
        self.value = value
    }
}
