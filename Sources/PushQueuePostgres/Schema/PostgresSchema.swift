import PushPlatform
import PushQueue

/// The tables of a queue, which have their own schema, and the migrations from older formats.
enum PostgresSchema {
    /// The step from each format to the next. A step that was released never changes.
    static let migrations = [first + campaigns, order + lineDigests, observing, outcomesOfCampaigns]

    /// The locks of a database are numbers. This one is for migrations: "PuQu".
    private static let lock: Int64 = 0x5075_5175

    /// The limit of a step. A server that is gone is noticed before.
    private static var longestStep: Duration { .seconds(7 * 86400) }
    /// How often a worker checks whether another worker has finished the migration.
    private static var pause: Duration { .milliseconds(200) }

    /// Brings the tables to the newest format, in one transaction, after the indexes that need none. While one worker does so, others that
    /// start wait. Refuses a schema that is not a queue, or that has a newer format.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - address: Where the queue is.
    ///   - createsTables: Whether the tables are made if there are none.
    ///   - migrations: The step from each format to the next.
    ///   - report: Called with a message when the worker waits, builds an index, or has made the tables.
    /// - Throws: ``QueueError`` if the tables cannot be used, or cannot be changed.
    static func migrate(
        _ connection: PostgresConnection, _ address: PostgresAddress, createsTables: Bool,
        migrations: [String] = Self.migrations, report: (String) -> Void
    ) throws(QueueError) {
        var hasReported = false
        while true {
            let present = try found(connection, address, version: migrations.count)
            guard present != migrations.count else { return }
            if present == 0, !createsTables { throw .missing(address) }
            if try change(connection, address, migrations, report) { return }
            // It tries repeatedly, each time within the time limit of a statement, so that a lost server is noticed.
            if !hasReported { report(waiting(address)) }
            hasReported = true
            usleep(UInt32(pause.timeoutMilliseconds) * 1000)
        }
    }

    private static func waiting(_ address: PostgresAddress) -> String {
        """
        Another worker migrates the tables in the schema \(address.schema) of \(address) to a newer format. This worker starts when that is \
        done.
        """
    }

    /// Does the steps that are missing. Returns false if another worker does them just now.
    private static func change(
        _ connection: PostgresConnection, _ address: PostgresAddress, _ migrations: [String], _ report: (String) -> Void
    ) throws(QueueError) -> Bool {
        // It is the lock of the session, because some indexes are built outside the transaction.
        let values: [PostgresValue] = [.int8(lock), .text(address.schema)]
        let isFree = try connection.run(PostgresStatement(.migrationLock, values)).first?.bool(0) ?? false
        guard isFree else { return false }
        var isNew = false
        do throws(QueueError) {
            try buildIndexes(connection, address, migrations, report)
            try connection.execute("BEGIN; SET LOCAL lock_timeout = 0")
            // Another worker may have done it in the meantime.
            let found = try found(connection, address, version: migrations.count)
            isNew = found == 0
            if isNew { try makeSchema(connection, address) }
            if found < migrations.count {
                try connection.waiting(longestStep) { () throws(QueueError) in
                    try connection.execute("SET LOCAL statement_timeout = 0")
                    for step in migrations[found...] { try connection.execute(step) }
                }
                try connection.execute("UPDATE queue SET format = \(migrations.count)")
            }
            try connection.execute("COMMIT")
            _ = try connection.run(PostgresStatement(.migrationUnlock, values))
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            if !connection.isBroken { _ = try? connection.run(PostgresStatement(.migrationUnlock, values)) }
            throw error
        }
        // The operator may have expected one with jobs.
        if isNew { report("A new, empty queue was made in the schema \(address.schema) of \(address).") }
        return true
    }

    /// Builds indexes of the missing steps that need not hold up workers of an older format. A build that was interrupted leaves an index
    /// that is not valid, and is done again.
    private static func buildIndexes(
        _ connection: PostgresConnection, _ address: PostgresAddress, _ migrations: [String], _ report: (String) -> Void
    ) throws(QueueError) {
        let present = try found(connection, address, version: migrations.count)
        guard present > 0 else { return }
        for index in indexesBuiltBefore where index.format > present && index.format <= migrations.count {
            let values: [PostgresValue] = [.text(address.schema), .text(index.name)]
            let isValid = try connection.run(PostgresStatement(.isValidIndex, values)).first?.bool(0)
            if isValid == true { continue }
            report(
                """
                The index \(index.name) is built in the schema \(address.schema) of \(address). Workers that run go on meanwhile. It takes until \
                the transactions that are open in the database now have ended.
                """)
            try connection.waiting(longestStep) { () throws(QueueError) in
                try connection.execute("SET statement_timeout = 0; SET lock_timeout = 0")
                if isValid == false { try connection.execute("DROP INDEX CONCURRENTLY \(index.name)") }
                try connection.execute("CREATE INDEX CONCURRENTLY \(index.name) ON \(index.definition)")
                try connection.execute("RESET statement_timeout; RESET lock_timeout")
            }
        }
    }

    /// Creates the schema, unless an administrator has created it for a role without that permission.
    private static func makeSchema(
        _ connection: PostgresConnection, _ address: PostgresAddress
    ) throws(QueueError) {
        guard try connection.run(PostgresStatement(.schema, address.schema)).count == 0 else { return }
        try connection.execute(#"CREATE SCHEMA "\#(address.schema)""#)
    }

    /// Stores the id of the database cluster and of its start, because transaction numbers belong to one cluster, and one that was restored
    /// from a backup, or took over without the last transactions, gives them again. The numbers of outcomes continue after all that were
    /// given before.
    static func joinCluster(_ connection: PostgresConnection, _ cluster: String) throws(QueueError) {
        let known = try connection.run(PostgresStatement(.cluster)).first?.text(0)
        guard known != cluster else { return }
        // A worker of an earlier version may be in a transaction whose number comes before the new ones.
        _ = try connection.run([
            PostgresStatement(.begin), PostgresStatement(.lockOutWriters),
            PostgresStatement(.setCluster, cluster),
            PostgresStatement(.commit),
        ])
    }

    /// The format of the tables; 0 if there are none.
    private static func found(
        _ connection: PostgresConnection, _ address: PostgresAddress, version: Int
    ) throws(QueueError) -> Int {
        let rows = try connection.run(PostgresStatement(.tables, address.schema))
        // An inbox may be in the same schema.
        let names = Set(rows.map { $0.text(0) }).subtracting(InboxContract.tables)
        guard !names.isEmpty else { return 0 }
        // Most tables have names that others would not give.
        let all = tables(of: migrations.count)
        guard all.subtracting(names).count < all.count / 2 else { throw .foreign(address) }
        guard names.contains("queue") else { throw .incomplete(address, "table", all.subtracting(names).sorted()) }
        let format = try connection.run(PostgresStatement(.format)).first?.number(0) ?? 0
        guard format <= version else { throw .newer(address, format, version) }
        guard format > 0 else { throw .unfinished(address) }
        let missing = tables(of: format).subtracting(names).sorted()
        guard missing.isEmpty else { throw .incomplete(address, "table", missing) }
        return format
    }

    private static func tables(of format: Int) -> Set<String> {
        let text = migrations.prefix(format).joined(separator: "\n")
        return Set(text.matches(of: /CREATE TABLE (\w+)/).map { String($0.output.1) })
    }

    // MARK: The parts of the newest format

    static let tables = parts { $0 == "TABLE" }
    /// The names of the sequences that are not of a column.
    static let sequences = parts { $0 == "SEQUENCE" }
    /// The names of the indexes, with those of keys, which PostgreSQL names itself.
    static let indexes = parts { $0.hasSuffix("INDEX") }.union(tables.map { "\($0)_pkey" }).union(uniqueColumns)

    /// What the migrations create and do not drop.
    private static func parts(_ isWanted: (Substring) -> Bool) -> Set<String> {
        var names: Set<String> = []
        let changes = /(CREATE|DROP) (TABLE|SEQUENCE|UNIQUE INDEX|INDEX) (?:IF NOT EXISTS )?(\w+)/
        for match in migrations.joined().matches(of: changes) {
            guard isWanted(match.output.2) else { continue }
            let name = String(match.output.3)
            if match.output.1 == "CREATE" { names.insert(name) } else { names.remove(name) }
        }
        return names
    }

    private static var uniqueColumns: Set<String> {
        var names: Set<String> = []
        for table in migrations.joined().matches(of: /CREATE TABLE (\w+) \(([^;]*);/) {
            for column in table.output.2.matches(of: /(\w+) \w+ NOT NULL UNIQUE/) {
                names.insert("\(table.output.1)_\(column.output.1)_key")
            }
        }
        return names
    }
}

extension QueueError {
    fileprivate static func foreign(_ address: PostgresAddress) -> QueueError {
        QueueError(
            .foreign,
            """
            The schema \(address.schema) of \(address) isn't a queue of this library: it has tables of another program. It wasn't \
            changed. Give another schema, which is created: add ?schema=NAME to the address.
            """)
    }

    private static func remedy(_ address: PostgresAddress) -> String {
        """
        It wasn't changed. Restore a backup. If no job was ever stored there, let an administrator run: \
        DROP SCHEMA \(address.schema) CASCADE. The service then creates new tables.
        """
    }

    static func incomplete(_ address: PostgresAddress, _ kind: String, _ missing: [String]) -> QueueError {
        QueueError(
            .damaged,
            """
            The queue in the schema \(address.schema) of \(address) isn't complete: it has no \(kind) \
            \(missing.joined(separator: ", ")). \(remedy(address))
            """)
    }

    fileprivate static func unfinished(_ address: PostgresAddress) -> QueueError {
        QueueError(
            .damaged,
            """
            The queue in the schema \(address.schema) of \(address) has no format: another version of the program, or a restore, didn't \
            finish creating its tables. \(remedy(address))
            """)
    }

    fileprivate static func missing(_ address: PostgresAddress) -> QueueError {
        QueueError(
            .missing,
            """
            There is no queue in the schema \(address.schema) of \(address). The service creates it when it runs. To use another \
            one, give its address, or add ?schema=NAME to the address.
            """)
    }

    fileprivate static func newer(_ address: PostgresAddress, _ found: Int, _ known: Int) -> QueueError {
        QueueError(
            .newerVersion,
            """
            The queue in the schema \(address.schema) of \(address) has the format \(found), but this program knows formats up to \
            \(known). It wasn't changed. Use the newer version of the program, or restore a backup from before the upgrade.
            """)
    }
}

extension PostgresText {
    /// Every role that may connect can hold such a lock. One that another role holds does not count.
    fileprivate static let migrationLock: PostgresText = """
        SELECT pg_try_advisory_lock($1::bigint + hashtext($2::text)) OR NOT EXISTS (
            SELECT FROM pg_locks JOIN pg_stat_activity AS a USING (pid)
            WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND a.usename = current_user
                AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND (classid::int8 << 32) + objid::int8 = $1::bigint + hashtext($2::text))
        """
    fileprivate static let migrationUnlock = PostgresText(
        "SELECT pg_advisory_unlock($1::bigint + hashtext($2::text))")
    fileprivate static let isValidIndex: PostgresText = """
        SELECT i.indisvalid FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = $1::text AND c.relname = $2::text
        """
    fileprivate static let tables = PostgresText(
        "SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = $1::text")
    fileprivate static let schema = PostgresText("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1::text")
    fileprivate static let cluster = PostgresText("SELECT cluster FROM queue WHERE id = 1")
    fileprivate static let setCluster = PostgresText(
        "UPDATE queue SET cluster = $1::text, base = \(nextBase) WHERE cluster <> $1::text")
    /// Lets the numbers of outcomes continue after those of another queue, whose jobs are imported. No other writer may run.
    static let continueNumbers = PostgresText("UPDATE queue SET base = \(nextBase)")
    private static let nextBase = """
        greatest(base, 0, 1 - pg_current_xact_id()::text::int8 + greatest(
            greatest((SELECT coalesce(max(number), 0) FROM finished), (SELECT coalesce(max(number), 0) FROM gone),
                (SELECT coalesce(max(dropped), 0) FROM app)) >> \(ResultNumbers.bits),
            least(((extract(epoch FROM clock_timestamp()) * 1000)::int8 - \(ResultNumbers.epoch))
                * \(ResultNumbers.ticksPerMillisecond), \(ResultNumbers.latest))))
        """
    fileprivate static let format = PostgresText("SELECT format FROM queue WHERE id = 1")
}
