internal import NIOConcurrencyHelpers
package import PushQueue

/// Where to look for the oldest rows of an inbox.
struct InboxAges {
    var floor = InboxFloor()
    /// The connection of the last look: its process on the server, and how many statements it had prepared.
    var backend: Int32 = 0
    var names = 0
}

extension PostgresInbox {
    /// The age of the oldest row of each app, among the first 10,000 rows.
    package func oldest() async throws(QueueError) -> [(app: String, seconds: Double)] {
        try await others.run { [ages, schema, lookPace] (connection) throws(QueueError) in
            var state = ages.withLockedValue { $0 }
            // A server that took over, or was restored, may have lower numbers of transactions.
            let isNew = connection.backend != state.backend || connection.namesSoFar < state.names
            if isNew || state.floor.until < .now { state.floor = InboxFloor(until: .now + lookPace) }
            let age = PostgresText.milliseconds("clock_timestamp() - at")
            let rows = try connection.run(
                """
                SELECT here.snapshot, found.app, found.age, found.xact
                FROM (SELECT pg_current_snapshot()::text AS snapshot) AS here LEFT JOIN (
                    SELECT app, max(CASE WHEN isfinite(at) THEN \(age) END) AS age, min(xact::text::int8) AS xact FROM (
                        (SELECT app, at, xact FROM \(schema).inbox
                            WHERE xact >= $1::text::xid8 ORDER BY xact, id LIMIT 10000)
                        UNION ALL
                        (SELECT app, at, xact FROM \(schema).inbox
                            WHERE xact = ANY ($2::text[]::xid8[]) ORDER BY xact, id LIMIT 10000)
                    ) AS first GROUP BY app
                ) AS found ON true
                """, String(state.floor.first), state.floor.running.map(\.description))
            let oldest = rows.map { row in row.optional(3) { UInt64(clamping: $0.integer($1)) } }.compactMap(\.self)
                .min()
            if let snapshot = rows.first?.text(0) { state.floor.looked(snapshot, oldest: oldest) }
            (state.backend, state.names) = (connection.backend, connection.namesSoFar)
            ages.withLockedValue { $0 = state }
            return rows.map { row in
                row.optional(2) { (app: row.text(1), seconds: Double($0.integer($1)) / 1000) }
            }.compactMap(\.self)
        }
    }
}
