import PushPlatform
import PushQueue

extension PostgresQueries {
    /// The limit of a statement that reads whole tables.
    private static var longestLook: Duration { .seconds(600) }

    /// Runs statements that may take long because they read whole tables. It allows bitmap scans.
    func patiently<Value>(_ body: () throws(QueueError) -> Value) throws(QueueError) -> Value {
        let limit = Self.longestLook
        return try connection.waiting(limit) { () throws(QueueError) in
            try connection.execute(
                """
                BEGIN READ ONLY; SET LOCAL statement_timeout = '\(limit.components.seconds)s'; SET LOCAL enable_bitmapscan = on
                """)
            let result = Result { () throws(QueueError) in try body() }
            if !connection.isBroken { try connection.execute("COMMIT") }
            return try result.get()
        }
    }

    /// What other programs do that makes the server slower for the queue.
    func storageLoad() throws(QueueError) -> QueueStorageLoad {
        let results = try connection.run([
            PostgresStatement(.oldestTransaction), PostgresStatement(.hiddenConnections),
            PostgresStatement(.deadRows, schema),
        ])
        var load = QueueStorageLoad()
        load.oldest = results[0].first.map { row in
            QueueStorageLoad.Transaction(age: .milliseconds(max(row.integer(0), 0)), owner: row.text(1))
        }
        load.hidden = results[1].first?.number(0) ?? 0
        load.deadRows = results[2].first?.number(0) ?? 0
        return load
    }
}

extension PostgresText {
    /// Transactions delay the cleaning of tables if they have a number or a snapshot. Those that were prepared stay without a
    /// connection. The server's own cleaning does not count.
    fileprivate static let oldestTransaction: PostgresText = """
        SELECT (extract(epoch FROM clock_timestamp() - began) * 1000)::int8, owner FROM (
            SELECT xact_start AS began, concat_ws(' ', 'role ' || usename, 'process ' || pid,
                'application ' || nullif(application_name, ''), 'from ' || host(client_addr)) AS owner
            FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL) AND backend_type <> 'autovacuum worker'
            UNION ALL
            SELECT prepared, 'role ' || owner || ' prepared transaction ' || gid FROM pg_prepared_xacts
            WHERE database = current_database()
        ) AS open
        ORDER BY began LIMIT 1
        """
    fileprivate static let hiddenConnections: PostgresText = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query = '<insufficient privilege>'
        """
    fileprivate static let deadRows: PostgresText = """
        SELECT coalesce(sum(n_dead_tup), 0)::int8 FROM pg_stat_user_tables WHERE schemaname = $1::text AND relname = 'job'
        """
}
