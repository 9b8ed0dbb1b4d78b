import ArgumentParser
import PushCommandLine
import PushJSON
import PushQueue
import PushTime

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Count the jobs of each app, by state and outcome.",
        discussion: """
            Example:
              pushserve queue stats --database /var/lib/pushserve/pushserve.sqlite
            """)

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print one JSON object for each app.")
    var json = false

    func run() async throws {
        try await database.with { queue in
            if let seal = try await queue.seal() {
                Output.note(QueueError.sealed(seal, try database.location().description).description)
            }
            let now = try await queue.now()
            let counts = try await queue.counts().sorted { $0.key < $1.key }
            var ages: [String: Duration] = [:]
            for (app, _) in counts {
                let due = try await queue.nextDue(of: [app])
                if let due, due < now { ages[app] = now - due }
            }
            if json {
                for (app, counts) in counts { Output.print(Self.line(app, counts, ages[app])) }
            } else if counts.isEmpty {
                Output.print("The queue has no jobs.")
            } else {
                Output.print(Self.table(counts, ages).lines.joined(separator: "\n"))
            }
        }
    }

    static func line(_ app: String, _ counts: QueueCounts, _ age: Duration?) -> JSONLine {
        var line = JSONLine()
        line["app"] = .string(app)
        let states: [(QueueJobState, Int)] = [
            (.held, counts.held), (.waiting, counts.waiting), (.leased, counts.leased), (.started, counts.started),
            (.finished, counts.kept),
        ]
        for (state, number) in states { line[state.name] = .integer(number) }
        line["dead_letters"] = .integer(counts.deadLetters)
        let outcomes: [(QueueJobOutcome.Kind, Int)] = [
            (.accepted, counts.accepted), (.rejected, counts.rejected), (.unknown, counts.unknown),
            (.notSent, counts.notSent),
        ]
        for (kind, number) in outcomes { line[kind.name] = .integer(number) }
        line["oldest_due_seconds"] = age.map { .integer(Int($0.components.seconds)) }
        return line
    }

    private static func table(_ counts: [(key: String, value: QueueCounts)], _ ages: [String: Duration])
        -> TextTable
    {
        var table = TextTable(
            [
                "app", "held", "waiting", "late by", "leased", "started", "kept", "dead", "accepted", "rejected",
                "unknown", "not sent",
            ], numbers: Set(1...11))
        for (app, counts) in counts {
            let numbers = [
                counts.leased, counts.started, counts.kept, counts.deadLetters, counts.accepted, counts.rejected,
                counts.unknown, counts.notSent,
            ]
            table.add(
                [app, String(counts.held), String(counts.waiting), ages[app].map(\.approximateText) ?? "-"]
                    + numbers.map { String($0) })
        }
        return table
    }
}
