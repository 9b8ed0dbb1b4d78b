import PushJSON
import PushQueue
import PushQueuePostgres

/// What a move did, for people or programs.
struct MoveReport {
    let path: String
    let address: String
    let json: Bool

    /// What stays in the file.
    struct Left {
        var finished: Int
        var deadLetters: Int
        var undelivered: Int
    }

    private static let parts: [(MovePart, String)] = [
        (.jobs, "jobs"), (.campaigns, "campaigns"), (.lines, "lines of campaigns"),
        (.refusals, "refused lines"), (.dedupeKeys, "dedupe keys"), (.idempotencyKeys, "idempotency keys"),
        (.goneTokens, "gone tokens"), (.records, "API keys, pauses, logins"),
    ]

    private static func name(of part: MovePart) -> String {
        switch part {
        case .failures: "lines that were not accepted"
        case .outcomes: "outcomes of campaigns"
        case .shownCampaigns: "campaigns with all of their lines"
        default: parts.first { $0.0 == part }?.1 ?? part.rawValue
        }
    }

    // MARK: Plan

    func sayPlan(_ counts: [MovePart: Int], _ left: Left) {
        if json {
            var line = head("plan")
            for (part, _) in Self.parts { line[part.rawValue] = .integer(counts[part] ?? 0) }
            add(left, to: &line)
            return Output.print(line)
        }
        var table = TextTable(["what", "in the file"], numbers: [1])
        for (part, name) in Self.parts { table.add([name, "\(counts[part] ?? 0)"]) }
        Output.print(table.lines.joined(separator: "\n"))
        print(left)
        if left.deadLetters > 0 {
            Output.print(
                "Dead letters can be put into the queue again only before the move: pushserve queue retry --dead --app APP"
            )
        }
        Output.print("Nothing was changed.")
    }

    // MARK: Result

    /// Reports the result of a move, and whether it has ended.
    func print(_ state: QueueMove.State, _ proof: QueueMove.Proof, _ left: Left, isDone: Bool) {
        if json { return Output.print(line(state, proof, left, isDone: isDone)) }
        var table = TextTable(["what", "in the file", "moved", "was there"], numbers: [1, 2, 3])
        for (part, name) in Self.parts {
            let numbers = [state.counts[part], state.progress.arrived[part], state.progress.present[part]]
            table.add([name] + numbers.map { "\($0 ?? 0)" })
        }
        Output.print(table.lines.joined(separator: "\n"))
        print(state, proof)
        print(left)
        if isDone {
            Output.print(
                """
                The queue \(path) was moved to \(address). Set "database" in the configuration to that address, with its password and its \
                other parameters, such as sslmode, and start the service.
                """)
        }
    }

    /// What was found, and what is missing.
    private func print(_ state: QueueMove.State, _ proof: QueueMove.Proof) {
        for (app, expected) in proof.expected.sorted(by: { $0.key < $1.key }) {
            let once = proof.doubled == 0 ? ", each once" : ""
            let missing = proof.missing[app].map { " \($0) are missing." } ?? ""
            Output.print(
                "\(app): \(proof.found[app] ?? 0) of \(expected) jobs found in the target\(once).\(missing)")
        }
        if proof.doubled > 0 {
            Output.print("\(proof.doubled) jobs are in the target more than once. Please report this.")
        }
        for part in proof.wrongParts {
            let (inserted, all) = (state.progress.inserted(part), state.counts[part] ?? 0)
            Output.print("\(Self.name(of: part)): the target has \(inserted) of \(all). Please report this.")
        }
    }

    private func line(
        _ state: QueueMove.State, _ proof: QueueMove.Proof, _ left: Left, isDone: Bool
    ) -> JSONLine {
        var line = head(isDone ? "moved" : "incomplete")
        line["move_id"] = .string(JobText.text(state.mark.id))
        for (part, _) in Self.parts {
            line[part.rawValue] = .object([
                "in_file": .integer(state.counts[part] ?? 0), "moved": .integer(state.progress.arrived[part] ?? 0),
                "was_there": .integer(state.progress.present[part] ?? 0),
            ])
        }
        line["found"] = .object(proof.found.mapValues { .integer($0) })
        line["found_twice"] = .integer(proof.doubled)
        line["missing"] = .object(proof.missing.mapValues { .integer($0) })
        line["wrong_parts"] = .array(proof.wrongParts.map { .string($0.rawValue) })
        add(left, to: &line)
        return line
    }

    func sayMoved(_ mark: MoveMark) {
        guard json else {
            return Output.print("The queue \(path) was moved to \(address) before. There is nothing to do.")
        }
        var line = head("moved_before")
        line["move_id"] = .string(JobText.text(mark.id))
        Output.print(line)
    }

    // MARK: What stays

    private func print(_ left: Left) {
        if left.finished > 0 { Output.print("\(left.finished) finished jobs stay in the file, which can be read.") }
        if left.deadLetters > 0 {
            Output.print("\(left.deadLetters) of them are dead letters. pushserve queue list --dead shows them.")
        }
        if left.undelivered > 0 {
            Output.print("\(left.undelivered) outcomes that webhooks have not delivered stay in the file.")
        }
    }

    private func head(_ event: String) -> JSONLine {
        var line = JSONLine()
        line["event"] = .string(event)
        line["from"] = .string(path)
        line["to"] = .string(address)
        return line
    }

    private func add(_ left: Left, to line: inout JSONLine) {
        line["finished_left"] = .integer(left.finished)
        line["dead_letters_left"] = .integer(left.deadLetters)
        line["undelivered_left"] = .integer(left.undelivered)
    }
}
