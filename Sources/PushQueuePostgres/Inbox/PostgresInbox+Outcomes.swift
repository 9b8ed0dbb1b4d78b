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

extension PostgresInbox {
    /// Where the inbox is, for people.
    package var label: String { "\(address) \(contract.schema)" }

    /// Looks whether the inbox is installed, in a format that this version serves, and whether the role of the service has its rights.
    ///
    /// - Parameter apps: The configured apps; `nil` if they are not known.
    /// - Returns: What is wrong without stopping the service, in sentences with the remedy.
    /// - Throws: ``QueueError`` with what is missing.
    package func check(apps: [String]? = nil) async throws(QueueError) -> [String] {
        try await others.run { [self] (connection) throws(QueueError) in
            do throws(QueueError) {
                try requireInstalled(connection)
                try connection.execute("BEGIN; \(outcomeTexts.needed)")
                try connection.execute("ROLLBACK")
            } catch {
                guard error.code == .refused else { throw error }
                throw QueueError(
                    .refused,
                    "\(error.description) The rights of the service: pushserve inbox grant --service --role NAME")
            }
            var problems: [String] = []
            if try connection.run(PostgresStatement(outcomeTexts.name, [])).count == 0 {
                problems.append(
                    """
                    The table "position" in the schema "\(contract.schema)" was emptied. The service restores it, and copies outcomes again \
                    from the oldest on: those that you deleted come back.
                    """)
            }
            if try connection.run(PostgresStatement(outcomeTexts.dropped, [])).count > 0 {
                problems.append(
                    """
                    The table "sender" in the schema "\(contract.schema)" has rows of roles that were dropped. Delete them: pushserve inbox \
                    install
                    """)
            }
            if let apps {
                problems += try connection.run(PostgresStatement(outcomeTexts.senderApps, [.texts(apps)])).map {
                    "A role may send pushes of the app \"\($0.text(0))\", which isn't in the configuration. Correct the name."
                }
            }
            return problems
        }
    }

    /// The name by which pushes of this inbox are known in the queue.
    ///
    /// - Parameter earlier: The name that it had, if the queue knows it. It is restored if the table has lost it.
    /// - Returns: The name, which is made if there is none.
    /// - Throws: ``QueueError``.
    package func name(earlier: String?) async throws(QueueError) -> String {
        try await others.run { [outcomeTexts] (connection) throws(QueueError) in
            let texts = [
                PostgresStatement(outcomeTexts.restore, [earlier.map { .text($0) } ?? .null]),
                PostgresStatement(outcomeTexts.name, []),
            ]
            return try connection.run(texts)[1].first?.text(0) ?? ""
        }
    }

    private func requireInstalled(_ connection: PostgresConnection) throws(QueueError) {
        let table = PostgresValue.text("\(contract.quoted).inbox")
        let comment = try connection.run(PostgresStatement(outcomeTexts.comment, [table])).first?.text(0) ?? ""
        let place = "the schema \"\(contract.schema)\" of \(address)"
        guard let format = InboxContract.format(ofComment: comment) else {
            throw QueueError(
                .missing, "There is no inbox in \(place). Install it: pushserve inbox install --database ADDRESS")
        }
        guard format <= InboxContract.format else {
            throw QueueError(
                .newerVersion, "The inbox in \(place) has the newer format \(format). Use a newer pushserve.")
        }
    }

    /// Installs the inbox, or brings it to this version. It gives up if it waits for a lock for longer than two seconds.
    package func install() async throws(QueueError) {
        try await others.run { [self] (connection) throws(QueueError) in
            // A newer one is not replaced by an older one.
            do throws(QueueError) { try requireInstalled(connection) } catch {
                if error.code != .missing { throw error }
            }
            try Self.run(contract.sql, connection)
        }
    }

    /// Gives a role rights.
    package func grant(_ rights: [InboxContract.Right], to role: String) async throws(QueueError) {
        try await others.run { [self] (connection) throws(QueueError) in
            try requireInstalled(connection)
            guard try connection.run(PostgresStatement(outcomeTexts.role, [.text(role)])).count > 0 else {
                throw QueueError(.invalid, "\(address) has no role \"\(role)\". Create it first: CREATE ROLE.")
            }
            try Self.run(contract.grant(rights, to: role), connection)
        }
    }

    private static func run(_ sql: String, _ connection: PostgresConnection) throws(QueueError) {
        try connection.execute("BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL client_min_messages = warning; \(sql)")
        try connection.execute("COMMIT")
    }

    /// The age of the oldest row of each app, among the first 10,000 rows.
    package func oldest() async throws(QueueError) -> [(app: String, seconds: Double)] {
        try await others.run { [outcomeTexts] (connection) throws(QueueError) in
            try connection.run(PostgresStatement(outcomeTexts.oldest, [])).map {
                ($0.text(0), Double($0.integer(1)) / 1000)
            }
        }
    }

    // MARK: Outcomes

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
        try await others.run { [outcomeTexts, contract, address] (connection) throws(QueueError) in
            if let start {
                _ = try connection.run(
                    PostgresStatement(outcomeTexts.begins, [.text(queue), .text("\(start.number)")]))
            }
            guard let text = try connection.run(PostgresStatement(outcomeTexts.position, [.text(queue)])).first?.text(0)
            else { return nil }
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

    /// Inserts outcomes and moves the position, in one transaction. A first outcome is never replaced.
    ///
    /// - Returns: Whether the position was still the old one. Otherwise another worker has inserted them.
    package func store(
        _ outcomes: [InboxOutcome], of queue: String, from old: QueueResultCursor, to new: QueueResultCursor
    ) async throws(QueueError) -> Bool {
        try await others.run { [outcomeTexts] (connection) throws(QueueError) in
            let moved = try connection.run([
                PostgresStatement(outcomeTexts.begin, []),
                PostgresStatement(
                    outcomeTexts.move, [.text(queue), .text("\(old.number)"), .text("\(new.number)")]),
            ])
            guard moved[1].affected == 1 else {
                try connection.execute("ROLLBACK")
                return false
            }
            _ = try connection.run([
                PostgresStatement(outcomeTexts.insert, Self.values(outcomes)),
                PostgresStatement(outcomeTexts.commit, []),
            ])
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
    package func dropOld(of queue: String) async throws(QueueError) {
        try await others.run { [outcomeTexts] (connection) throws(QueueError) in
            _ = try connection.run(PostgresStatement(outcomeTexts.age, [.text(queue)]))
            var count = Self.dropped
            while count == Self.dropped {
                count = try connection.run(PostgresStatement(outcomeTexts.drop, [.text(queue)])).affected
            }
        }
    }

    /// The maximum number of outcomes that are dropped in a transaction.
    fileprivate static let dropped = 5000

    // MARK: Devices

    /// Erases rows and outcomes: of a device token, which is in lower-case letters, in an app or in all; or of an app.
    ///
    /// - Returns: How many.
    package func erase(token: String?, app: String?) async throws(QueueError) -> Int {
        try await others.run { [outcomeTexts] (connection) throws(QueueError) in
            try connection.waiting(.seconds(600)) { () throws(QueueError) in
                let values: [PostgresValue] = [token.map { .text($0) } ?? .null, app.map { .text($0) } ?? .null]
                return try connection.run([
                    PostgresStatement(outcomeTexts.eraseRows, values),
                    PostgresStatement(outcomeTexts.eraseOutcomes, values),
                ]).reduce(0) { $0 + $1.affected }
            }
        }
    }

    /// The rows and outcomes of a device token in an app, as JSON objects, page by page.
    ///
    /// - Returns: The next objects, and where to continue; no place at the end.
    package func export(
        token: String, app: String, after place: UUID?
    ) async throws(QueueError) -> (lines: [[UInt8]], next: UUID?) {
        try await others.run { [outcomeTexts] (connection) throws(QueueError) in
            try connection.waiting(.seconds(600)) { () throws(QueueError) in
                let values: [PostgresValue] = [.text(token), .text(app), .uuid(place ?? UUID(0, 0))]
                let rows = try connection.run(PostgresStatement(outcomeTexts.export, values)).map(\.self)
                return (rows.map { $0.bytes(1) }, rows.count < Self.exported ? nil : rows.last?.uuid(0))
            }
        }
    }

    /// The maximum number of objects of a page.
    fileprivate static let exported = 100

    /// The statements of everything but the mover.
    struct OutcomeTexts: Sendable {
        let name, restore, dropped, senderApps, oldest, begins, position, move, insert, age, drop: PostgresText
        let eraseRows, eraseOutcomes, export: PostgresText
        let begin = PostgresText("BEGIN")
        let commit = PostgresText("COMMIT")
        let role = PostgresText("SELECT FROM pg_catalog.pg_roles WHERE rolname = $1::text")
        /// Statements that change nothing, and need all rights of the service.
        let needed: String
        let comment = PostgresText("SELECT obj_description(to_regclass($1::text), 'pg_class')")

        init(_ schema: String) {
            needed = """
                SELECT FROM \(schema).inbox LIMIT 0 FOR UPDATE; DELETE FROM \(schema).inbox WHERE false AND app = '';
                INSERT INTO \(schema).outcome SELECT * FROM \(schema).outcome LIMIT 0; DELETE FROM \(schema).outcome WHERE false;
                INSERT INTO \(schema).position SELECT * FROM \(schema).position LIMIT 0;
                UPDATE \(schema).position SET cursor = cursor WHERE false; SELECT FROM \(schema).sender LIMIT 0;
                """
            name = PostgresText("SELECT cursor FROM \(schema).position WHERE queue = ''")
            restore = PostgresText(
                """
                INSERT INTO \(schema).position (queue, cursor)
                VALUES ('', coalesce($1::text, substr(md5(gen_random_uuid()::text), 1, 8))) ON CONFLICT DO NOTHING
                """)
            dropped = PostgresText(
                """
                SELECT FROM \(schema).sender WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE oid = role::oid) LIMIT 1
                """)
            senderApps = PostgresText(
                "SELECT DISTINCT app FROM \(schema).sender WHERE app <> ALL ($1::text[]) ORDER BY app LIMIT 10")
            oldest = PostgresText(
                """
                SELECT app, max((extract(epoch FROM clock_timestamp() - at) * 1000)::int8) FROM (
                    SELECT app, at FROM \(schema).inbox ORDER BY xact, id LIMIT 10000
                ) AS first GROUP BY app
                """)
            begins = PostgresText(
                "INSERT INTO \(schema).position (queue, cursor) VALUES ($1::text, $2::text) ON CONFLICT DO NOTHING")
            position = PostgresText("SELECT cursor FROM \(schema).position WHERE queue = $1::text")
            move = PostgresText(
                "UPDATE \(schema).position SET cursor = $3::text WHERE queue = $1::text AND cursor = $2::text")
            insert = PostgresText(
                """
                INSERT INTO \(schema).outcome (id, app, token, outcome, reason, status, detail, gone_since, at)
                SELECT id, app, token, outcome, reason, status, detail, to_timestamp(gone_since / 1000.0),
                    to_timestamp(at / 1000.0)
                FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int2[], $7::text[], $8::int8[],
                    $9::int8[]) AS o (id, app, token, outcome, reason, status, detail, gone_since, at)
                ON CONFLICT (id) DO NOTHING
                """)
            age = PostgresText(
                """
                UPDATE \(schema).position SET seen = clock_timestamp(),
                    kept = kept + least(greatest(clock_timestamp() - seen, interval '0'), interval '2 minutes')
                WHERE queue = $1::text
                """)
            drop = PostgresText(
                """
                DELETE FROM \(schema).outcome WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM \(schema).outcome
                    WHERE at < (SELECT kept FROM \(schema).position WHERE queue = $1::text)
                    ORDER BY at LIMIT \(PostgresInbox.dropped)))
                """)
            // The text, because a push that is no valid JSON for PostgreSQL would stop everything.
            // The token is hex, so it is no pattern of its own.
            let hasToken = """
                ($1::text IS NULL OR
                    translate(lower(push::text), E' <>\\t\\r\\n', '') ~ ('"token":"' || $1::text || '"'))
                """
            let ofApp = "($2::text IS NULL OR app = $2::text)"
            eraseRows = PostgresText("DELETE FROM \(schema).inbox WHERE \(hasToken) AND \(ofApp)")
            eraseOutcomes = PostgresText(
                "DELETE FROM \(schema).outcome WHERE ($1::text IS NULL OR token = $1::text) AND \(ofApp)")
            func time(_ column: String) -> String {
                "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
            }
            // Line ends in JSON can only be between its parts.
            export = PostgresText(
                """
                SELECT id, line FROM (
                    SELECT id, json_build_object('app', app, 'inbox', json_build_object(
                        'id', id, 'at', \(time("at")), 'push', translate(push::text, E'\\n\\r', '  ')::json))::text AS line
                    FROM \(schema).inbox WHERE \(hasToken) AND \(ofApp)
                    UNION ALL
                    SELECT id, json_build_object('app', app, 'inbox_outcome', json_build_object(
                        'id', id, 'token', token, 'outcome', outcome, 'reason', reason, 'status', status, 'detail', detail,
                        'gone_since', \(time("gone_since")), 'at', \(time("at"))))::text
                    FROM \(schema).outcome WHERE token = $1::text AND \(ofApp)
                ) AS kept WHERE id > $3::uuid ORDER BY id LIMIT \(PostgresInbox.exported)
                """)
        }
    }
}
