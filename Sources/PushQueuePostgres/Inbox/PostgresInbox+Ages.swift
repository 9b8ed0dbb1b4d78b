internal import NIOConcurrencyHelpers
package import PushQueue

/// Where to look for the oldest rows of an inbox. Index entries of rows that are gone, which a dump keeps, come before.
struct InboxAges {
    /// All rows of earlier transactions are gone, but for those of ``running``.
    var first: UInt64 = 1
    /// Transactions that ran at the last look, and come before ``first``.
    var running: [UInt64] = []
    /// When all rows are looked at.
    var until = ContinuousClock.now
    /// The connection of the last look: its process on the server, and how many statements it had prepared.
    var backend: Int32 = 0
    var names = 0

    /// What a look has found.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot, as the server writes it: `xmin:xmax:running,running`.
    ///   - oldest: The transaction of the first row that it has; `nil` if it has none.
    mutating func looked(_ snapshot: String, oldest: UInt64?) {
        let parts = snapshot.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = UInt64(parts[1]) else { return }
        first = min(oldest ?? end, end)
        running = parts[2].split(separator: ",").compactMap { UInt64($0) }.filter { $0 < first }
    }
}

extension PostgresInbox {
    /// The age of the oldest row of each app, among the first 10,000 rows.
    package func oldest() async throws(QueueError) -> [(app: String, seconds: Double)] {
        try await others.run { [ages, schema, lookPace] (connection) throws(QueueError) in
            var state = ages.withLockedValue { $0 }
            // A server that took over, or was restored, may have lower numbers of transactions.
            let isNew = connection.backend != state.backend || connection.namesSoFar < state.names
            if isNew || state.until < .now { state = InboxAges(until: .now + lookPace) }
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
                """, String(state.first), state.running.map(\.description))
            let oldest = rows.map { row in row.optional(3) { UInt64(clamping: $0.integer($1)) } }.compactMap(\.self)
                .min()
            if let snapshot = rows.first?.text(0) { state.looked(snapshot, oldest: oldest) }
            (state.backend, state.names) = (connection.backend, connection.namesSoFar)
            ages.withLockedValue { $0 = state }
            return rows.map { row in
                row.optional(2) { (app: row.text(1), seconds: Double($0.integer($1)) / 1000) }
            }.compactMap(\.self)
        }
    }
}
