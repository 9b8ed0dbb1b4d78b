import PushPlatform
import PushQueue

/// The queries of a queue in PostgreSQL: each reads what is committed. Only the thread of the connection uses it.
struct PostgresQueries: QueueQueries {
    let connection: PostgresConnection
    let schema: String
    /// Where scans of waiting jobs begin.
    var floors = SharedFloors()

    func query(_ text: PostgresText, _ values: [PostgresValue]) throws(QueueError) -> PostgresRows {
        try connection.run(PostgresStatement(text, values))
    }

    func query(_ text: PostgresText, _ values: any PostgresBindable...) throws(QueueError) -> PostgresRows {
        try query(text, values.map(\.bound))
    }

    /// The number of an app; `nil` if it was never used.
    func app(_ name: String) throws(QueueError) -> Int32? {
        try query(.app, name.withoutZeroBytes).first.map { $0.int4(0) }
    }

    func counts() throws(QueueError) -> [String: QueueCounts] {
        let rows = try query(.counts).map { ($0.text(0), QueueCounts($0)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    func nextDue(of apps: [String]) throws(QueueError) -> QueueTime? {
        let places = floors.with { $0.places(at: .now) }
        let row = try query(.nextDue, apps.map(\.withoutZeroBytes), places.apps, places.dues, places.ids).first
        return row?.optional(0) { $0.time($1) }
    }

    func jobs(of target: QueueJobTarget, app: String?) throws(QueueError) -> [PostgresJobKey] {
        let name = app.map { PostgresValue.text($0.withoutZeroBytes) } ?? .null
        return try query(.jobsOfTarget, StoredPostgresTarget.bytes(of: target), name).map {
            PostgresJobKey(app: $0.int4(0), id: $0.uuid(1))
        }
    }

    /// The keys of requests that made, or found, only one job, which is one of these, in the order in which writers lock keys.
    func requests(ofOnly jobs: [UUID]) throws(QueueError) -> [AppKey] {
        try query(.requestsOfJobs, jobs).map { AppKey(app: $0.int4(0), text: $0.text(1)) }.sorted()
    }

    /// The time of the server's clock.
    func now() throws(QueueError) -> QueueTime {
        QueueTime(milliseconds: try query(.now).first?.integer(0) ?? 0)
    }

    /// The first number that is not certain to be committed.
    func committedLimit() throws(QueueError) -> Int64 {
        let results = try connection.run([PostgresStatement(.committedLimit), PostgresStatement(.base)])
        return ((results[0].first?.integer(0) ?? 0) + (results[1].first?.integer(0) ?? 0)) << 20
    }

    /// Why the queue is sealed; `nil` if it is not.
    func seal() throws(QueueError) -> QueueSeal? {
        try query(.seal, QueueSeal.kind).first.map { QueueSeal($0.bytes(0)) }
    }

    // MARK: Gone tokens

    func gone(among tokens: [String], app: String) throws(QueueError) -> [GoneToken] {
        let spellings = tokens.map { TokenText.canonical($0).withoutZeroBytes }
        let rows = try query(.goneAmong, app.withoutZeroBytes, spellings).map {
            ($0.text(0), $0.time(1))
        }
        let found = Dictionary(rows, uniquingKeysWith: { first, _ in first })
        return zip(tokens, spellings).compactMap { token, spelling in
            found[spelling].map { GoneToken(token, since: $0) }
        }
    }

    func gone(app: String, after cursor: String?, limit: Int) throws(QueueError) -> QueuePage<GoneToken> {
        let limit = try QueuePage<GoneToken>.checked(limit)
        let after = try QueueCursor(cursor, count: 1)
        let rows = try query(
            .goneTokens, app.withoutZeroBytes, PostgresValue.int8(after?.numbers[0] ?? -1), limit, committedLimit()
        ).map { (GoneToken($0.text(1), since: $0.time(2)), $0.integer(0)) }
        return QueuePage(items: rows.map(\.0), next: rows.last.map { QueueCursor([$0.1]).text } ?? cursor)
    }

    // MARK: Records

    func record(kind: String, key: String) throws(QueueError) -> QueueServiceRecord? {
        try query(.record, kind.withoutZeroBytes, key.withoutZeroBytes).first.map {
            QueueServiceRecord(key: key, value: $0.bytes(0), version: $0.integer(1))
        }
    }

    func records(kind: String, after key: String?, limit: Int) throws(QueueError) -> [QueueServiceRecord] {
        let after = PostgresValue.text((key ?? "").withoutZeroBytes)
        return try query(.records, kind.withoutZeroBytes, after, max(limit, 0)).map {
            QueueServiceRecord(key: $0.text(0), value: $0.bytes(1), version: $0.integer(2))
        }
    }
}

extension PostgresText {
    fileprivate static let seal = PostgresText(
        "SELECT value FROM record WHERE kind = $1::text AND key = 'seal'")
    static let app = PostgresText("SELECT id FROM app WHERE name = $1::text")
    /// The rows that change with each transaction have slots below 0, and are found by the other rows (``addCounts``). So it doesn't read those
    /// that writers have left, of which the server keeps all versions while a transaction is open.
    static let counts: PostgresText = """
        SELECT app.name, sums.* FROM app CROSS JOIN LATERAL (
            SELECT coalesce(sum(held), 0)::int8, coalesce(sum(waiting), 0)::int8, coalesce(sum(leased), 0)::int8,
                coalesce(sum(started), 0)::int8, coalesce(sum(kept), 0)::int8, coalesce(sum(dead_letters), 0)::int8,
                coalesce(sum(accepted), 0)::int8, coalesce(sum(rejected), 0)::int8, coalesce(sum(unknown), 0)::int8,
                coalesce(sum(not_sent), 0)::int8
            FROM (
                SELECT c.* FROM app_count AS c WHERE c.app = app.id AND c.slot >= 0
                UNION ALL
                SELECT own.* FROM app_count AS c CROSS JOIN LATERAL (
                    SELECT n.* FROM app_count AS n WHERE n.app = c.app AND n.slot = 999 - c.slot OFFSET 0) AS own
                WHERE c.app = app.id AND c.slot >= 1000
            ) AS counted
        ) AS sums WHERE app.is_known
        """
    static let nextDue: PostgresText = """
        SELECT min(next.due) FROM app CROSS JOIN generate_series(0, 2) AS p (priority) CROSS JOIN LATERAL (
            SELECT job.due FROM job
            WHERE job.is_waiting AND job.app = app.id AND job.priority = p.priority::int2
                AND \(isAboveFloor("$2", "$3", "$4"))
            ORDER BY job.due LIMIT 1
        ) AS next WHERE app.name = ANY ($1::text[])
        """
    static let jobsOfTarget: PostgresText = """
        SELECT content.app, content.job FROM content
        WHERE \(PostgresSchema.targetPart("target")) = \(PostgresSchema.targetPart("$1::bytea"))
            AND \(PostgresSchema.targetMark("target")) = \(PostgresSchema.targetMark("$1::bytea")) AND target = $1::bytea
            AND ($2::text IS NULL OR content.app = (SELECT id FROM app WHERE name = $2::text))
        """
    /// An answer with one result has 17 bytes, the last 16 of which are the id.
    static let requestsOfJobs: PostgresText = """
        SELECT app, key FROM request WHERE state = 1 AND CASE WHEN octet_length(answer) = 17
            THEN encode(substring(answer FROM 2), 'hex')::uuid = ANY ($1::uuid[]) END
        """
    fileprivate static let base = PostgresText("SELECT base FROM queue WHERE id = 1")
    fileprivate static let now = PostgresText("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8")
    fileprivate static let goneAmong: PostgresText = """
        SELECT found.token, found.since FROM unnest($2::text[]) AS asked (token) CROSS JOIN LATERAL (
            SELECT token, since FROM gone
            WHERE app = (SELECT id FROM app WHERE name = $1::text) AND gone.token = asked.token OFFSET 0
        ) AS found
        """
    fileprivate static let goneTokens: PostgresText = """
        SELECT number, token, since FROM gone
        WHERE app::int8 = (SELECT id FROM app WHERE name = $1::text) AND number > $2::int8
            AND number < $4::int8
        ORDER BY number LIMIT $3::int8
        """
    fileprivate static let record = PostgresText(
        "SELECT value, version FROM record WHERE kind = $1::text AND key = $2::text")
    fileprivate static let records: PostgresText = """
        SELECT key, value, version FROM record WHERE kind = $1::text AND key > $2::text COLLATE "C"
        ORDER BY key COLLATE "C" LIMIT $3::int8
        """
}
