#if PushService
    import PushPlatform
    import PushQueue

    /// Up to which number all outcomes are committed, or never will be.
    ///
    /// A number is that of a transaction and a position in it. Each writer of a queue takes a lock, shared with the others, before it
    /// gets the number of its transaction. So the locks of the server show which transactions of this queue run. Those of other
    /// programs do not matter, however long they take.
    enum PostgresHorizon {
        /// The statement with which a transaction of a writer begins.
        static func join(_ schema: String) -> PostgresStatement { PostgresStatement(.joinWriters, [.text(schema)]) }

        /// The number of the earliest transaction of a writer that runs, without that of this connection. What is read by a later
        /// statement contains everything before it.
        static func read(_ schema: String) -> PostgresStatement { PostgresStatement(.horizon, [.text(schema)]) }
    }

    extension PostgresText {
        /// "PuQu".
        private static let kind = 0x5075_5175

        fileprivate static let joinWriters = PostgresText(
            "SELECT pg_advisory_xact_lock_shared(\(kind), hashtext($1::text))")

        /// The locks name transactions by 32 bits. The rest is that of the next transaction. What has begun since the beginning of
        /// this statement is not before it.
        fileprivate static let horizon = PostgresText(
            """
            WITH next AS MATERIALIZED (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8 AS number)
            SELECT next.number - coalesce((
                SELECT max(distance) FROM (
                    SELECT (next.number - own.transactionid::text::int8) & 4294967295 AS distance
                    FROM pg_locks AS writer JOIN pg_locks AS own ON own.virtualtransaction = writer.virtualtransaction
                    WHERE writer.locktype = 'advisory' AND writer.classid = \(kind) AND writer.objsubid = 2
                        AND writer.objid = (hashtext($1::text)::int8 & 4294967295)::oid AND writer.pid <> pg_backend_pid()
                        AND writer.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
                ) AS running WHERE distance < 2147483648), 0)
            FROM next
            """)
    }
#endif
