#if PushService
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

        // MARK: Plan

        func sayPlan(_ counts: [MovePart: Int], _ left: Left) {
            if json {
                var line = head("plan")
                for (part, _) in Self.parts { line[part.rawValue] = .integer(counts[part] ?? 0) }
                add(left, to: &line)
                return Output.say(line)
            }
            var table = TextTable(["what", "in the file"], numbers: [1])
            for (part, name) in Self.parts { table.add([name, "\(counts[part] ?? 0)"]) }
            Output.say(table.lines.joined(separator: "\n"))
            say(left)
            Output.say("Nothing was changed.")
        }

        // MARK: Result

        func say(_ state: QueueMove.State, _ proof: QueueMove.Proof, _ left: Left) {
            if json { return Output.say(line(state, proof, left)) }
            var table = TextTable(["what", "in the file", "moved", "was there"], numbers: [1, 2, 3])
            for (part, name) in Self.parts {
                let numbers = [state.counts[part], state.progress.arrived[part], state.progress.present[part]]
                table.add([name] + numbers.map { "\($0 ?? 0)" })
            }
            Output.say(table.lines.joined(separator: "\n"))
            for (app, expected) in proof.expected.sorted(by: { $0.key < $1.key }) {
                let found = proof.found[app] ?? 0
                let once = proof.doubled == 0 ? ", each once" : ""
                Output.say("\(app): \(found) of \(expected) jobs found in the target\(once).")
            }
            say(left)
            if proof.isComplete {
                Output.say(
                    "The queue \(path) was moved to \(address). Set \"database\" in the configuration to that address, and start the service."
                )
            }
        }

        private func line(_ state: QueueMove.State, _ proof: QueueMove.Proof, _ left: Left) -> JSONLine {
            var line = head(proof.isComplete ? "moved" : "incomplete")
            line["move_id"] = .string(JobText.text(state.mark.id))
            for (part, _) in Self.parts {
                line[part.rawValue] = .object([
                    "in_file": .integer(state.counts[part] ?? 0), "moved": .integer(state.progress.arrived[part] ?? 0),
                    "was_there": .integer(state.progress.present[part] ?? 0),
                ])
            }
            line["found"] = .object(
                proof.expected.mapValues { .integer($0) }.merging(proof.found.mapValues { .integer($0) }) { $1 })
            line["found_twice"] = .integer(proof.doubled)
            add(left, to: &line)
            return line
        }

        func sayMoved(_ mark: MoveMark) {
            guard json else {
                return Output.say("The queue \(path) was moved to \(address) before. There is nothing to do.")
            }
            var line = head("moved_before")
            line["move_id"] = .string(JobText.text(mark.id))
            Output.say(line)
        }

        // MARK: What stays

        private func say(_ left: Left) {
            if left.finished > 0 { Output.say("\(left.finished) finished jobs stay in the file, which can be read.") }
            if left.deadLetters > 0 {
                Output.say(
                    """
                    \(left.deadLetters) of them are dead letters. They can be put in again only before the move: pushserve queue retry --dead --app \
                    APP. Afterwards, pushserve queue list --dead shows them.
                    """)
            }
            if left.undelivered > 0 {
                Output.say("\(left.undelivered) outcomes stay in the file that webhooks have not delivered.")
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
#endif
