import PushPlatform
import PushQueue

/// What operators look at beside jobs: payloads, the newest outcomes, counts, the audit.
extension PostgresQueries {
    func contents(of ids: [UUID], app: String) throws(QueueError) -> [UUID: QueueJobContent] {
        guard !ids.isEmpty, let app = try self.app(app) else { return [:] }
        let rows = try query(.contents, app, ids).map { ($0.uuid(0), QueueJobContent($0, from: 1)) }
        return Dictionary(rows) { first, _ in first }
    }

    // MARK: The newest outcomes

    private typealias NewestRow = (app: Int32, id: UUID, kind: Int)

    func newest(_ query: QueueNewestQuery) throws(QueueError) -> QueueNewestPage {
        let limit = try QueuePage<QueueJobRecord>.checked(query.limit)
        var parts: [NewestRows<NewestRow>.Part] = []
        for name in Set(query.apps) {
            guard let app = try app(name) else { continue }
            var campaign: Int32?
            if let id = query.campaign {
                campaign = try row(of: id, app: name)
                if campaign == nil { continue }
            }
            parts.append(try newest(query, app, campaign, limit))
        }
        let rows = NewestRows(parts, limit: limit)
        let records = try records(of: rows.rows.map { (app: $0.row.app, id: $0.row.id) })
        return try rows.page { (row) throws(QueueError) in records[row.id] }
    }

    private func newest(
        _ list: QueueNewestQuery, _ app: Int32, _ campaign: Int32?, _ limit: Int
    ) throws(QueueError) -> NewestRows<NewestRow>.Part {
        let count = list.rowsToRead(limit: limit, ofCampaign: campaign != nil)
        let values: [PostgresValue] = [.int4(campaign ?? app), .int8(list.before?.number ?? .max), .int8(Int64(count))]
        let rows =
            switch (campaign, list.reason, list.kind) {
            case (_?, let reason, _):
                try query(.newestOfCampaign, values + [reason.map { .text($0.withoutZeroBytes) } ?? .null])
            case (nil, let reason?, _): try query(.newestWithReason, values + [.text(reason.withoutZeroBytes)])
            case (nil, nil, nil), (nil, nil, .accepted): try query(.newest, values)
            case (nil, nil, let kind?): try query(.newestRare, values + [.int2(Int16(kind.rawValue))])
            }
        let found = rows.map { row in
            (number: row.integer(0), row: (app: app, id: row.uuid(1), kind: row.number(2)))
        }
        return NewestRows.Part(found, isWhole: found.count < count) { list.includes(kind: $0.kind) }
    }

    // MARK: Counts and audit

    func tallies(
        of apps: [String], _ span: QueueTallySpan, since time: QueueTime, until end: QueueTime
    ) throws(QueueError) -> [QueueTally] {
        let values: [PostgresValue] = [
            .texts(Set(apps.map(\.withoutZeroBytes)).sorted()), .int4(Int32(span.rawValue)),
            .int8(span.begin(of: time).milliseconds), .int8(end.milliseconds),
        ]
        return try query(.tallies, values).map { QueueTally($0, from: 1, app: $0.text(0)) }
    }

    func audit(of apps: [String]?, before number: Int64, limit: Int) throws(QueueError) -> [QueueAuditRecord] {
        let limit = try QueuePage<QueueAuditRecord>.checked(limit)
        let page: [PostgresValue] = [.int8(number), .int8(Int64(limit))]
        let rows =
            if let apps { try query(.auditOfApps, page + [.texts(Array(Set(apps.map(\.withoutZeroBytes))))]) } else {
                try query(.audit, page)
            }
        return rows.map { QueueAuditRecord($0) }
    }
}

extension PostgresText {
    fileprivate static let contents: PostgresText = """
        SELECT found.job, coalesce(found.payload, (SELECT body FROM payload WHERE id = found.shared)), found.variables,
            (SELECT number FROM finished WHERE app = $1::int4 AND id = found.job)
        FROM \(found("job, payload, shared, variables", in: "content", key: "job"))
        """
    fileprivate static let newest: PostgresText = """
        SELECT number, id, outcome FROM finished WHERE app::int8 = $1::int4 AND number < $2::int8
        ORDER BY number DESC LIMIT $3::int8
        """
    fileprivate static let newestRare: PostgresText = """
        SELECT number, id, outcome FROM finished
        WHERE app = $1::int4 AND outcome = $4::int2 AND outcome <> 0 AND number < $2::int8
        ORDER BY number DESC LIMIT $3::int8
        """
    fileprivate static let newestWithReason: PostgresText = """
        SELECT number, id, outcome FROM finished
        WHERE app = $1::int4 AND reason = $4::text AND reason IS NOT NULL AND number < $2::int8
        ORDER BY number DESC LIMIT $3::int8
        """
    /// The kind is -1 if a line has another reason.
    fileprivate static let newestOfCampaign: PostgresText = """
        SELECT number, id, CASE WHEN $4::text IS NULL OR reason = $4::text THEN outcome ELSE -1::int2 END FROM finished
        WHERE campaign = $1::int4 AND campaign IS NOT NULL AND number < $2::int8 ORDER BY number DESC LIMIT $3::int8
        """
    fileprivate static let tallies: PostgresText = """
        SELECT app.name, t.begin, t.kind, t.reason, t.count FROM app CROSS JOIN LATERAL (
            SELECT begin, kind, reason, sum(count)::int8 AS count FROM tally
            WHERE tally.app = app.id AND span = $2::int4 AND begin >= $3::int8 AND begin < $4::int8
            GROUP BY begin, kind, reason
        ) AS t WHERE app.name = ANY ($1::text[]) ORDER BY app.name, t.begin, t.kind, t.reason
        """
    fileprivate static let audit: PostgresText = """
        SELECT number, app, time, content FROM audit WHERE number < $1::int8 ORDER BY number DESC LIMIT $2::int8
        """
    fileprivate static let auditOfApps: PostgresText = """
        SELECT found.* FROM unnest($3::text[]) AS asked (app) CROSS JOIN LATERAL (
            SELECT number, app, time, content FROM audit WHERE audit.app = asked.app AND number < $1::int8
            ORDER BY number DESC LIMIT $2::int8
        ) AS found ORDER BY found.number DESC LIMIT $2::int8
        """
}
