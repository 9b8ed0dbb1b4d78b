#if PushService
    import PushQueue

    /// The tables of a queue, in a schema of their own, and how older ones become the newest.
    enum PostgresSchema {
        /// The newest format.
        static var version: Int { migrations.count }

        /// The step from each format to the next. A step that was released never changes.
        private static let migrations = [first + campaigns]

        /// The locks of a database are numbers. This one is for migrations: "PuQu".
        private static let lock: Int64 = 0x5075_5175

        /// Brings the tables to the newest format, in one transaction. While one worker does so, the others wait. Refuses what is no queue, or
        /// a newer one.
        static func migrate(
            _ connection: PostgresConnection, _ address: PostgresAddress, createsTables: Bool
        ) throws(QueueError) {
            let present = try found(connection, address)
            guard present != version else { return }
            if present == 0, !createsTables { throw .missing(address) }
            try connection.execute("BEGIN")
            do throws(QueueError) {
                _ = try connection.run(PostgresStatement(.migrationLock, [.int8(lock), .text(address.schema)]))
                // Another worker may have done it in the meantime.
                let found = try found(connection, address)
                if found < version {
                    if found == 0 { try makeSchema(connection, address) }
                    for step in migrations[found...] { try connection.execute(step) }
                    try connection.execute("UPDATE queue SET format = \(version)")
                }
                try connection.execute("COMMIT")
            } catch {
                if !connection.isBroken { try? connection.execute("ROLLBACK") }
                throw error
            }
        }

        /// Makes the schema, unless an administrator has done so for a role that may not.
        private static func makeSchema(
            _ connection: PostgresConnection, _ address: PostgresAddress
        ) throws(QueueError) {
            guard try connection.run(PostgresStatement(.schema, [.text(address.schema)])).count == 0 else { return }
            try connection.execute(#"CREATE SCHEMA "\#(address.schema)""#)
        }

        /// Stores the id of the database cluster, because transaction numbers belong to one cluster. After a restore
        /// into another cluster, the numbers of outcomes continue after the last stored one.
        static func joinCluster(_ connection: PostgresConnection, _ cluster: String) throws(QueueError) {
            let known = try connection.run(PostgresStatement(.cluster, [])).first?.text(0)
            if known != cluster { _ = try connection.run(PostgresStatement(.setCluster, [.text(cluster)])) }
        }

        /// The format of the tables; 0 if there are none.
        private static func found(
            _ connection: PostgresConnection, _ address: PostgresAddress
        ) throws(QueueError) -> Int {
            let rows = try connection.run(PostgresStatement(.tables, [.text(address.schema)]))
            let names = Set(rows.map { $0.text(0) })
            guard !names.isEmpty else { return 0 }
            guard names.isSuperset(of: ["queue", "job", "content", "finished"]) else { throw .foreign(address) }
            let format = try connection.run(PostgresStatement(.format, [])).first?.number(0) ?? 0
            guard format <= version else { throw .newer(address, format, version) }
            guard format > 0 else { throw .foreign(address) }
            return format
        }
    }

    extension QueueError {
        fileprivate static func foreign(_ address: PostgresAddress) -> QueueError {
            QueueError(
                .foreign,
                """
                The schema \(address.schema) of \(address) is not a queue of pushserve: it has tables of something else. It was not \
                changed. Give another schema, which is created: add ?schema=NAME to the address.
                """)
        }

        fileprivate static func missing(_ address: PostgresAddress) -> QueueError {
            QueueError(
                .missing,
                """
                There is no queue in the schema \(address.schema) of \(address). The service makes it when it runs. For another one, give \
                another address, or add ?schema=NAME to it.
                """)
        }

        fileprivate static func newer(_ address: PostgresAddress, _ found: Int, _ known: Int) -> QueueError {
            QueueError(
                .newerVersion,
                """
                The queue in the schema \(address.schema) of \(address) has the format \(found), but this program knows formats up to \
                \(known). It was not changed. Use the newer version of the program, or restore a backup from before the upgrade.
                """)
        }
    }

    extension PostgresText {
        fileprivate static let migrationLock = PostgresText(
            "SELECT pg_advisory_xact_lock($1::bigint + hashtext($2::text))")
        fileprivate static let tables = PostgresText(
            "SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = $1::text")
        fileprivate static let schema = PostgresText("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1::text")
        fileprivate static let cluster = PostgresText("SELECT cluster FROM queue WHERE id = 1")
        fileprivate static let setCluster = PostgresText(
            """
            UPDATE queue SET cluster = $1::text, base = greatest(base, 0, 1 - pg_current_xact_id()::text::int8 + (greatest(
                (SELECT coalesce(max(number), 0) FROM finished), (SELECT coalesce(max(number), 0) FROM gone),
                (SELECT coalesce(max(dropped), 0) FROM app)) >> 20))
            WHERE cluster <> $1::text
            """)
        fileprivate static let format = PostgresText("SELECT format FROM queue WHERE id = 1")
    }
#endif
