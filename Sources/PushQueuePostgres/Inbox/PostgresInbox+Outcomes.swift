package import PushPlatform
package import PushQueue

/// A row of the table of outcomes.
package struct InboxOutcome: Sendable {
    /// The id that the user's call returned.
    package var id: UUID
    package var job: QueueJobRecord

    package init(id: UUID, _ job: QueueJobRecord) {
        (self.id, self.job) = (id, job)
    }

    /// The target of a push whose token cannot be read.
    package static let noToken = "unknown"

    fileprivate var token: String? {
        guard case .device(let token) = job.target, token != Self.noToken else { return nil }
        return token
    }
}

/// From the queue to the table of outcomes.
extension PostgresInbox {
    static let outcomeColumns = "id, app, token, outcome, reason, status, detail, gone_since, at"

    /// The name by which pushes of this inbox are known in the queue.
    ///
    /// - Parameter earlier: The name that it had, if the queue knows it. It is restored if the table has lost it.
    /// - Returns: The name, which is made if there is none.
    /// - Throws: ``QueueError``.
    package func name(earlier: String?) async throws(QueueError) -> String {
        try await others.run { [self] (connection) throws(QueueError) in
            try begin("", at: earlier, connection)
            return try stored("", connection) ?? ""
        }
    }

    /// What tells two inboxes apart.
    package struct Identity: Sendable {
        /// The name; `nil` if the table has lost it.
        package var name: String?
        /// The running server and its table. A copy of the database has another place, another address of the same one has not.
        package var place: String
    }

    /// What tells this inbox from others.
    package func identity() async throws(QueueError) -> Identity {
        try await others.run { [self] (connection) throws(QueueError) in
            let place: PostgresText = """
                SELECT pg_catalog.concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), oid, to_regclass($1::text)::oid)
                FROM pg_catalog.pg_database WHERE datname = current_database()
                """
            let row = try connection.run(place, positionTable).first
            return Identity(name: try stored("", connection), place: row?.text(0) ?? "")
        }
    }

    package var positionTable: String { "\(schema).position" }

    /// The row of the queue `$1`, as a condition. While a dump is open, each of its earlier versions is kept. The newest one has the highest
    /// place, so an index scan from the end finds it first. An update that had to wait for another one finds no row.
    private var isOfQueue: String {
        """
        ctid = ANY (ARRAY(SELECT ctid FROM \(schema).position
            WHERE queue >= $1::text AND queue <= $1::text ORDER BY queue DESC LIMIT 1))
        """
    }

    /// Stores where a queue begins, unless it has a position; or for "", a name of the inbox: a new one without any.
    private func begin(_ queue: String, at text: String?, _ connection: PostgresConnection) throws(QueueError) {
        _ = try connection.run(
            """
            INSERT INTO \(schema).position (queue, cursor) VALUES ($1::text, coalesce($2::text, \(InboxContract.newName)))
            ON CONFLICT DO NOTHING
            """, queue, text)
    }

    /// The position of a queue; for "", the name of the inbox.
    func stored(_ queue: String, _ connection: PostgresConnection) throws(QueueError) -> String? {
        try connection.run("SELECT cursor FROM \(schema).position WHERE \(isOfQueue)", queue).first?.text(0)
    }

    /// The position of a queue in its outcomes.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - start: Where a queue begins that has no position; `nil` to give it none.
    /// - Returns: The position; `nil` if it has none.
    /// - Throws: ``QueueError``.
    package func position(
        of queue: String, startingAt start: QueueResultCursor? = nil
    ) async throws(QueueError) -> QueueResultCursor? {
        try await others.run { [self] (connection) throws(QueueError) in
            if let start { try begin(queue, at: "\(start.number)", connection) }
            guard let text = try stored(queue, connection) else { return nil }
            guard let number = Int64(text), "\(number)" == text else {
                throw QueueError(
                    .damaged,
                    """
                    The table "position" in the schema "\(contract.schema)" of \(address) has a cursor that isn't a \
                    number. Delete its row: then outcomes are copied again from the oldest on.
                    """)
            }
            return QueueResultCursor(number: number)
        }
    }

    /// What changes with the position of a queue, and with an erasure. Outcomes that are read afterwards have nothing that was erased.
    package func version(of queue: String) async throws(QueueError) -> String? {
        try await others.run { [schema, isOfQueue] (connection) throws(QueueError) in
            try connection.run("SELECT xmin::text FROM \(schema).position WHERE \(isOfQueue)", queue).first?.text(0)
        }
    }

    /// Inserts outcomes and moves the position, in one transaction. A first outcome is never replaced.
    ///
    /// - Parameters:
    ///   - outcomes: The outcomes.
    ///   - queue: The queue.
    ///   - old: The position behind which they are.
    ///   - new: The position behind them.
    ///   - version: The version before they were read; `nil` to store them in any case.
    /// - Returns: Whether position and version were still the old ones. Otherwise another worker has inserted them, or something was erased.
    /// - Throws: ``QueueError``.
    package func store(
        _ outcomes: [InboxOutcome], of queue: String, from old: QueueResultCursor, to new: QueueResultCursor,
        version: String? = nil
    ) async throws(QueueError) -> Bool {
        try await others.run { [schema, address, contract, isOfQueue] (connection) throws(QueueError) in
            let move: PostgresText = """
                UPDATE \(schema).position SET cursor = $3::text
                WHERE \(isOfQueue) AND cursor = $2::text AND ($4::text IS NULL OR xmin::text = $4::text)
                """
            let known: PostgresText = "SELECT count(*) FROM \(schema).outcome WHERE id = ANY ($1::uuid[])"
            let ids = Set(outcomes.map(\.id))
            // The server ends a trigger that takes too long, and names it, before this end gives the connection up. A commit has no limit.
            let limit = connection.answerTime * 2 / 3
            let moved = try connection.run([
                PostgresStatement(.begin), PostgresStatement(.limitTime, "\(limit.timeoutMilliseconds)ms"),
                PostgresStatement(move, queue, "\(old.number)", "\(new.number)", version),
                PostgresStatement(known, [.uuids(Array(ids))]),
            ])
            guard moved[2].affected == 1 else {
                try connection.execute("ROLLBACK")
                return false
            }
            let insert: PostgresText = """
                INSERT INTO \(schema).outcome (\(Self.outcomeColumns))
                SELECT id, app, token, outcome, reason, status, detail, to_timestamp(gone_since::float8 / 1000::float8),
                    to_timestamp(at::float8 / 1000::float8)
                FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int2[], $7::text[], $8::int8[],
                    $9::int8[]) AS o (\(Self.outcomeColumns))
                ON CONFLICT (id) DO NOTHING
                """
            let inserted: Int
            do throws(QueueError) {
                let ended = try connection.run([
                    PostgresStatement(insert, Self.values(outcomes)), PostgresStatement(.limitTime, "0"),
                ])
                inserted = ended[0].affected
            } catch {
                guard error.code == .busy, outcomes.count > 1 else { throw error }
                throw QueueError(
                    .busy,
                    """
                    \(error) \(outcomes.count) outcomes took longer than \(limit). Fewer are stored at once. If triggers on the table \
                    \(contract.quoted).outcome are slow, make them faster.
                    """)
            }
            // Fewer than that were dropped on their way, and nobody would miss them.
            let missing = ids.count - inserted - (moved[3].first?.number(0) ?? 0)
            guard missing <= 0 else {
                try connection.execute("ROLLBACK")
                throw QueueError.droppedOutcomes(missing, address, contract)
            }
            try connection.execute("COMMIT")
            return true
        }
    }

    private static func values(_ rows: [InboxOutcome]) -> [PostgresValue] {
        let outcomes = rows.map(\.job.outcome)
        return [
            .uuids(rows.map(\.id)), .texts(rows.map(\.job.app)), .optionalTexts(rows.map(\.token)),
            .texts(outcomes.map { $0?.kind.name ?? "" }), .optionalTexts(outcomes.map { $0?.reason?.withoutZeroBytes }),
            .optionalInt2s(outcomes.map { $0?.status.map { Int16(truncatingIfNeeded: $0) } }),
            .optionalTexts(outcomes.map { $0?.detail?.withoutZeroBytes }),
            .optionalInt8s(outcomes.map { $0?.goneSince?.milliseconds }),
            .int8s(rows.map { ($0.job.finished ?? $0.job.queued).milliseconds }),
        ]
    }

    /// Drops outcomes after seven days in which the feed ran. While it stands still, nothing becomes older.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - limit: The maximum number of outcomes that are dropped in a transaction.
    /// - Throws: ``QueueError``.
    package func dropOld(of queue: String, limit: Int = 5000) async throws(QueueError) {
        try await others.run { [schema, isOfQueue] (connection) throws(QueueError) in
            _ = try connection.run(
                """
                UPDATE \(schema).position SET seen = clock_timestamp(),
                    kept = kept + least(greatest(clock_timestamp() - seen, interval '0'), interval '2 minutes')
                WHERE queue = $1::text
                """, queue)
            var count = limit
            while count == limit {
                count = try connection.run(
                    """
                    DELETE FROM \(schema).outcome WHERE ctid = ANY (ARRAY(
                        SELECT ctid FROM \(schema).outcome
                        WHERE at < (SELECT kept FROM \(schema).position WHERE \(isOfQueue))
                        ORDER BY at LIMIT $2::int8))
                    """, queue, Int64(limit)
                ).affected
            }
        }
    }
}

extension PostgresText {
    fileprivate static let limitTime = PostgresText("SELECT set_config('statement_timeout'::text, $1::text, true)")
}

extension QueueError {
    /// A trigger has dropped rows that were inserted.
    fileprivate static func droppedOutcomes(
        _ count: Int, _ address: PostgresAddress, _ contract: InboxContract
    ) -> QueueError {
        QueueError(
            .unusable,
            """
            A trigger or a rule on the table \(contract.quoted).outcome of \(address) dropped \(counted(count, "outcome")). Nothing was stored. Let a \
            BEFORE trigger return NEW, or delete the rows afterwards.
            """)
    }
}
