/// How long a connection waits for its server.
struct PostgresSettings: Sendable {
    /// How long connecting to one host takes at most. Finding the addresses of a name is not included: the system decides how long
    /// that takes.
    var connectTime: Duration = .seconds(5)
    /// How long a round trip takes at most. Then the socket is closed, because a frozen server sends neither an answer nor an end.
    var statementTime: Duration = .seconds(15)
    /// The name that PostgreSQL shows for the connection, unless the address has another one.
    var applicationName = "pushserve"

    /// The oldest version of PostgreSQL that works: that of a queue.
    var oldestVersion: Int32 = 15

    /// Settings of the server for this connection.
    var serverSettings: [String: String] = [:]
    /// Whether the database is of somebody else: its errors are about their statements.
    var isForeign = false
    /// Whether the schema is left as it is, unless the address has one: triggers of somebody else find their tables then.
    var leavesSchema = false
    /// Whether the connection only reads.
    var onlyReads = false

    /// After this time, the server ends a statement of a connection that only reads. It is a bit shorter than ``statementTime``, so that the
    /// connection survives. A commit must have no such limit: if it ends the wait for a synchronous standby, the server confirms a
    /// commit that only itself has.
    var serverTime: Duration { onlyReads ? statementTime * 9 / 10 : .zero }

    /// After this time, the server ends a connection that keeps a transaction open without doing anything.
    var idleTime: Duration { statementTime * 4 }
}

extension Duration {
    /// The whole milliseconds, rounded up, from 0 to the maximum of an `Int32`.
    var timeoutMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard self > .zero else { return 0 }
        guard seconds < 2_000_000 else { return .max }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
