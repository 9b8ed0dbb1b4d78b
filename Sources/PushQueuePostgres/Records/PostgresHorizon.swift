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

        /// Of the transactions that run, those of writers count: their locks say so. A transaction that has its number and shows no lock yet
        /// counts, too, as it may be one. What ends while this statement runs is seen by the next one. The locks name transactions by the
        /// last 32 bits of their number.
        fileprivate static let horizon = PostgresText(
            """
            WITH held AS MATERIALIZED (
                SELECT locktype, virtualtransaction, transactionid::text::int8 AS number, mode,
                    locktype = 'advisory' AND classid = \(kind) AND objsubid = 2
                        AND objid = (hashtext($1::text)::int8 & 4294967295)::oid
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AS is_writer
                FROM pg_locks WHERE locktype IN ('advisory', 'transactionid')
            )
            SELECT coalesce(min(running::text::int8), pg_snapshot_xmax(pg_current_snapshot())::text::int8)
            FROM pg_snapshot_xip(pg_current_snapshot()) AS running
            WHERE coalesce((
                SELECT EXISTS (SELECT FROM held WHERE is_writer AND virtualtransaction = own.virtualtransaction)
                FROM held AS own
                WHERE own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
                    AND own.number = running::text::int8 & 4294967295 LIMIT 1
            ), pg_xact_status(running) = 'in progress')
            """)
    }
#endif
