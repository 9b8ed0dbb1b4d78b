internal import CPQ
import PushPlatform
import PushQueue

extension PostgresConnection {
    func run(_ statement: PostgresStatement) throws(QueueError) -> PostgresRows {
        try run([statement])[0]
    }

    /// Runs a text with the values of its parameters.
    func run(_ text: PostgresText, _ values: any PostgresBindable...) throws(QueueError) -> PostgresRows {
        try run(PostgresStatement(text, values.map(\.bound)))
    }

    /// Runs statements in one round trip. Outside a transaction, they are one by themselves.
    ///
    /// - Returns: A result for each statement.
    /// - Throws: ``QueueError`` of the first statement that failed. The server skips those behind it.
    func run(_ statements: [PostgresStatement]) throws(QueueError) -> [PostgresRows] {
        if statements.isEmpty { return [] }
        try parameters.fill(statements)
        let deadline = try begin()
        try sent(PQenterPipelineMode(handle))
        let commands = try send(statements)
        try sent(PQpipelineSync(handle))
        try flush(until: deadline)
        let (rows, error) = try results(of: commands, until: deadline)
        try sent(PQexitPipelineMode(handle))
        try end(error)
        return rows
    }

    /// A command that was sent. It determines which results follow.
    private enum Command {
        /// A text was prepared under a name.
        case prepare(PostgresText, String)
        case run(hasValues: Bool)
    }

    private func send(_ statements: [PostgresStatement]) throws(QueueError) -> [Command] {
        var (commands, first): ([Command], Int) = ([], 0)
        commands.reserveCapacity(statements.count * 2)
        var new: [PostgresText: String] = [:]
        for statement in statements {
            let known = names[statement.text] ?? new[statement.text]
            let name = known ?? nextName()
            if known == nil {
                new[statement.text] = name
                try sent(PQsendPrepare(handle, name, statement.text.sql, 0, nil))
                commands.append(.prepare(statement.text, name))
            }
            let (count, handle) = (statement.values.count, handle)
            try sent(
                parameters.withValues(first, count) { values, lengths, formats in
                    PQsendQueryPrepared(handle, name, Int32(count), values, lengths, formats, 1)
                })
            commands.append(.run(hasValues: statement.hasValues))
            first += count
        }
        return commands
    }

    private func nextName() -> String {
        namesSoFar += 1
        return "s\(namesSoFar)"
    }

    /// The results up to the end of the pipeline, and the first error.
    private func results(
        of commands: [Command], until deadline: ContinuousClock.Instant
    ) throws(QueueError) -> ([PostgresRows], QueueError?) {
        var (rows, error): ([PostgresRows], QueueError?) = ([], nil)
        rows.reserveCapacity(commands.count)
        var (next, ends) = (0, 0)
        // Each command has one result and an end. More ends mean that libpq waits for nothing.
        while ends <= commands.count + 1 {
            guard let result = try nextResult(until: deadline) else {
                ends += 1
                continue
            }
            if result.status == PGRES_PIPELINE_SYNC { return (rows, error) }
            guard next < commands.count else { break }
            defer { next += 1 }
            switch (commands[next], result.status) {
            case (.prepare(let text, let name), PGRES_COMMAND_OK): names[text] = name
            case (.run, PGRES_COMMAND_OK), (.run, PGRES_TUPLES_OK): rows.append(PostgresRows(result))
            case (.prepare, PGRES_FATAL_ERROR): if error == nil { error = try failure(result, hasValues: false) }
            case (.run(let hasValues), PGRES_FATAL_ERROR):
                if error == nil { error = try failure(result, hasValues: hasValues) }
            case (_, PGRES_PIPELINE_ABORTED): continue
            default: throw fail(.defect("an unexpected result of a statement", endpoint))
            }
        }
        // The connection has ended before the last result. libpq does not always notice that.
        throw fail(broken(lastMessage))
    }
}
