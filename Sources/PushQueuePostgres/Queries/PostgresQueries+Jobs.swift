import PushPlatform
import PushQueue

extension PostgresQueries {
    /// Jobs in the order of their ids in a list. Those that do not exist are left out.
    func jobs(_ ids: [UUID], app: String) throws(QueueError) -> [QueueJobRecord] {
        guard !ids.isEmpty, let app = try self.app(app) else { return [] }
        let found = try records(ids, app: app)
        return ids.compactMap { found[$0] }
    }

    func records(_ ids: [UUID], app: Int32) throws(QueueError) -> [UUID: QueueJobRecord] {
        guard !ids.isEmpty else { return [:] }
        let records = try query(.records, app, ids).map { Self.record($0) }
        return Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func records(of rows: [(app: Int32, id: UUID)]) throws(QueueError) -> [UUID: QueueJobRecord] {
        var records: [UUID: QueueJobRecord] = [:]
        for (app, ofApp) in Dictionary(grouping: rows, by: \.app) {
            records.merge(try self.records(ofApp.map(\.id), app: app), uniquingKeysWith: { $1 })
        }
        return records
    }

    func history(of id: UUID, app name: String) throws(QueueError) -> [QueueJobEvent]? {
        guard let app = try app(name), let record = try records([id], app: app)[id] else { return nil }
        let events = try query(.events, app, id).map { QueueJobEvent($0) }
        return record.history(events)
    }

    static func record(_ row: PostgresRow) -> QueueJobRecord {
        QueueJobRecord(row, from: 1, id: row.uuid(0), target: StoredPostgresTarget.read(row.bytes(2)))
    }
}

extension PostgresText {
    private static let open = """
        SELECT app, id, queued, due, state, priority, policy, expires, attempts, lost, fence, started, NULL::int8 AS finished,
            NULL::int2 AS outcome, NULL::text AS reason, NULL::text AS detail, NULL::int2 AS status,
            NULL::uuid AS unique_id, NULL::int8 AS gone_since, campaign, line
        FROM job
        """
    private static let closed = """
        SELECT app, id, queued, due, 3::int2, priority, policy, expires, attempts, lost, fence, started, finished,
            outcome, reason, detail, status, unique_id, gone_since, campaign, line
        FROM finished
        """
    private static let isAsked = "WHERE app = $1::int4 AND id = asked.id"
    fileprivate static let records: PostgresText = """
        SELECT j.id, (SELECT name FROM app WHERE id = $1::int4), content.target, j.queued, j.due, content.push, j.state,
            j.priority, j.policy, j.expires, j.attempts, j.lost, j.started,
            lease.owner, lease.ends + (SELECT shift FROM queue WHERE id = 1),
            j.finished, j.outcome, j.reason, j.detail, j.status, j.unique_id, j.gone_since,
            (SELECT key FROM dedupe WHERE app = $1::int4 AND key = content.dedupe_key AND job = j.id),
            (SELECT redriven_as FROM dead_letter WHERE app = $1::int4 AND job = j.id),
            content.payload IS NULL AND content.shared IS NULL,
            (SELECT uuid FROM campaign WHERE id = j.campaign), j.line
        FROM unnest($2::uuid[]) AS asked (id)
            CROSS JOIN LATERAL (\(open) \(isAsked) UNION ALL \(closed) \(isAsked) OFFSET 0) AS j
            CROSS JOIN LATERAL (SELECT * FROM content WHERE app = $1::int4 AND job = asked.id OFFSET 0) AS content
            LEFT JOIN LATERAL (
                SELECT owner, ends FROM lease WHERE fence = j.fence AND j.state IN (1, 2) OFFSET 0) AS lease ON true
        """
    fileprivate static let events = PostgresText(
        "SELECT time, kind, detail FROM event WHERE app = $1::int4 AND job = $2::uuid ORDER BY number")
}
