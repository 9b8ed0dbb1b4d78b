import PushPlatform
import PushQueue

/// Stores the batches of a move from a file. Each batch is stored once, because its transaction also stores the position of the move.
extension PostgresTransaction {
    /// Stores a batch, unless it is stored already: the answer to an earlier commit may have been lost.
    ///
    /// - Returns: The progress of the move. If its position is not the end of the batch, the move continues from that position.
    func insert(_ batch: MoveBatch, of move: UUID) throws(QueueError) -> MoveProgress {
        guard var progress = try progress(of: move, locks: true) else { throw .unknownMove(move) }
        guard progress.position == batch.start else {
            // What can be read may still be missing on the standby. A commit after it waits for both.
            check()
            return progress
        }
        let part = batch.start.part
        let arrived = try insert(batch.items, at: batch.time)
        progress.position = batch.end
        progress.arrived[part, default: 0] += arrived
        progress.present[part, default: 0] += batch.count - arrived
        perform(.setMove, [.text(MoveMark.kind), .text(move.uuidString), .bytes(progress.bytes)])
        return progress
    }

    /// The progress of a move; `nil` if this queue has no such move.
    func progress(of move: UUID, locks: Bool = false) throws(QueueError) -> MoveProgress? {
        let row = try query(locks ? .lockMove : .move, [.text(MoveMark.kind), .text(move.uuidString)]).first
        return row.flatMap { MoveProgress($0.bytes(0)) }
    }

    /// Makes a move known.
    func begin(_ move: UUID) {
        perform(.beginMove, [.text(MoveMark.kind), .text(move.uuidString), .bytes(MoveProgress().bytes)])
    }

    /// Returns how many of the things were not there.
    private func insert(_ items: MoveBatch.Items, at time: MovedTime) throws(QueueError) -> Int {
        switch items {
        case .records(let records): try insert(records)
        case .dedupeKeys(let keys): try insert(keys, at: time)
        case .idempotencyKeys(let requests): try insert(requests, at: time)
        case .goneTokens(let tokens): try insert(tokens)
        case .campaigns(let campaigns): try insert(campaigns, at: time)
        case .lines(let lines): try insert(lines)
        case .refusals(let refusals): try insert(refusals)
        case .failures(let lines): try insertFailures(lines)
        case .outcomes(let outcomes): try insert(outcomes)
        case .jobs(let jobs): try insert(jobs, at: time)
        case .shownCampaigns(let campaigns): try show(campaigns)
        }
    }

    /// Translates the end of a duration from the clock of the file to the clock of this queue.
    func translated(_ end: SteadyTime, at time: MovedTime) -> Int64 {
        func inRange(_ time: SteadyTime) -> Int64 {
            min(max(time.milliseconds, 0), SteadyTime.latest.milliseconds)
        }
        return (steady + .milliseconds(inRange(end) - inRange(time.steady))).milliseconds
    }

    /// The numbers of apps.
    func apps(_ names: [String]) throws(QueueError) -> [Int32] {
        var known: [String: Int32] = [:]
        for name in Set(names).sorted(by: String.isBefore) { known[name] = try appOrNew(name) }
        return names.compactMap { known[$0] }
    }

    // MARK: Records, keys, tokens

    /// How long keys are valid for jobs that have not arrived.
    private static let longestMove: Duration = .seconds(30 * 24 * 3600)

    private func insert(_ records: [MovedRecord]) throws(QueueError) -> Int {
        guard !records.isEmpty else { return 0 }
        return try query(
            .insertRecords,
            [
                .texts(records.map(\.kind)), .texts(records.map(\.key)), .blobs(records.map(\.value)),
            ]
        ).affected
    }

    private func insert(_ keys: [MovedKey], at time: MovedTime) throws(QueueError) -> Int {
        guard !keys.isEmpty else { return 0 }
        return try query(
            .insertKeys,
            [
                .int4s(try apps(keys.map(\.app))), .texts(keys.map(\.key)), .uuids(keys.map(\.job)),
                .int8s(keys.map { until($0, at: time) }), .int8(steady.milliseconds),
            ]
        ).affected
    }

    /// A key whose job has not arrived must neither be dropped nor be taken by another job. When the job arrives, the key gets its time.
    private func until(_ key: MovedKey, at time: MovedTime) -> Int64 {
        let until = translated(key.until, at: time)
        return key.isOpen ? max(until, (steady + Self.longestMove).milliseconds) : until
    }

    private func insert(_ requests: [MovedRequest], at time: MovedTime) throws(QueueError) -> Int {
        guard !requests.isEmpty else { return 0 }
        return try query(
            .insertRequests,
            [
                .int4s(try apps(requests.map(\.app))), .texts(requests.map(\.key)),
                .blobs(requests.map(\.digest)), .int2s(requests.map(\.state)),
                .int8s(requests.map { translated($0.until, at: time) }),
                .optionalBlobs(requests.map(\.answer)), .int8(steady.milliseconds),
            ]
        ).affected
    }

    private func insert(_ tokens: [MovedToken]) throws(QueueError) -> Int {
        guard !tokens.isEmpty else { return 0 }
        let first = changes.nextNumber()
        for _ in tokens { _ = changes.nextNumber() }
        return try query(
            .insertTokens,
            [
                .int4s(try apps(tokens.map(\.app))), .texts(tokens.map(\.token)),
                .int8s(tokens.map(\.since.milliseconds)), .int8(base), .int8(first),
            ]
        ).affected
    }
}

extension QueueError {
    fileprivate static func unknownMove(_ move: UUID) -> QueueError {
        QueueError(
            .invalid,
            "The target does not know the move \(move.uuidString.lowercased()). Give the address with which the move began."
        )
    }
}

extension PostgresText {
    fileprivate static let move = PostgresText(
        "SELECT value FROM record WHERE kind = $1::text AND key = $2::text")
    fileprivate static let lockMove = PostgresText(
        "SELECT value FROM record WHERE kind = $1::text AND key = $2::text FOR UPDATE")
    fileprivate static let beginMove = PostgresText(
        """
        INSERT INTO record VALUES ($1::text, $2::text, $3::bytea, nextval('version')) ON CONFLICT DO NOTHING
        """)
    fileprivate static let setMove = PostgresText(
        """
        UPDATE record SET value = $3::bytea, version = nextval('version') WHERE kind = $1::text AND key = $2::text
        """)
    fileprivate static let insertRecords = PostgresText(
        """
        INSERT INTO record SELECT r.kind, r.key, r.value, nextval('version')
        FROM unnest($1::text[], $2::text[], $3::bytea[]) AS r (kind, key, value) ON CONFLICT DO NOTHING
        """)
    /// All writers take keys in the order of their bytes, so that no two of them wait for each other. As for new jobs, a key is
    /// free if it has expired and its job has its outcome.
    fileprivate static let insertKeys = PostgresText(
        """
        INSERT INTO dedupe AS d SELECT k.app, k.key, k.job, k.until
        FROM unnest($1::int4[], $2::text[], $3::uuid[], $4::int8[]) AS k (app, key, job, until)
        ORDER BY k.app, k.key COLLATE "C"
        ON CONFLICT (app, key) DO UPDATE SET job = excluded.job, until = excluded.until
        WHERE d.until <= $5::int8 AND NOT EXISTS (SELECT FROM job WHERE job.app = d.app AND job.id = d.job OFFSET 0)
        """)
    fileprivate static let insertRequests = PostgresText(
        """
        INSERT INTO request AS r SELECT k.app, k.key, k.digest, k.state, 0, k.until, k.answer
        FROM unnest($1::int4[], $2::text[], $3::bytea[], $4::int2[], $5::int8[], $6::bytea[])
            AS k (app, key, digest, state, until, answer)
        ORDER BY k.app, k.key COLLATE "C"
        ON CONFLICT (app, key) DO UPDATE SET digest = excluded.digest, state = excluded.state, fence = 0,
            until = excluded.until, answer = excluded.answer
        WHERE r.until <= $7::int8
        """)
    fileprivate static let insertTokens = PostgresText(
        """
        INSERT INTO gone AS g
        SELECT t.app, t.token, t.since,
            ((pg_current_xact_id()::text::int8 + $4::int8) << 20) + $5::int8 + t.position
        FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS t (app, token, since, position)
        ORDER BY t.app, t.token COLLATE "C"
        ON CONFLICT (app, token) DO UPDATE SET since = excluded.since, number = excluded.number
        WHERE excluded.since > g.since
        """)
}
