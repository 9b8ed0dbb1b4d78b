import PushPlatform
import PushQueue

extension PostgresQueries {
    func campaign(_ id: UUID, app: String, now: QueueTime) throws(QueueError) -> QueueCampaign? {
        try query(.campaign, id, app.withoutZeroBytes).first.map { QueueCampaign($0, now: now) }
    }

    func activeCampaigns(now: QueueTime) throws(QueueError) -> [QueueCampaign] {
        try query(.activeCampaigns).map { QueueCampaign($0, now: now) }
    }

    func campaigns(
        app: String, after cursor: String?, limit: Int, now: QueueTime
    ) throws(QueueError) -> QueuePage<QueueCampaign> {
        let limit = try QueuePage<QueueCampaign>.checked(limit)
        let after = try QueueCursor(cursor, count: 1)?.numbers[0] ?? .max
        let rows = try query(.campaigns, app.withoutZeroBytes, after, limit).map {
            (QueueCampaign($0, now: now), $0.integer(25))
        }
        let next = rows.count == limit ? rows.last.map { QueueCursor([$0.1]).text } : nil
        return QueuePage(items: rows.map(\.0), next: next)
    }

    func outcomes(ofCampaign id: UUID, app: String) throws(QueueError) -> [QueueCampaignOutcome] {
        guard let row = try row(of: id, app: app) else { return [] }
        return try query(.campaignOutcomes, row).map { QueueCampaignOutcome($0) }
    }

    // MARK: Lines

    func lines(_ query: QueueCampaignLineQuery) throws(QueueError) -> [QueueCampaignLineRecord] {
        let limit = try QueuePage<QueueCampaignLineRecord>.checked(query.limit)
        guard let app = try app(query.app), let row = try row(of: query.campaign, app: query.app) else { return [] }
        let found = try self.query(
            query.onlyFailures ? .failedLines : .allLines,
            [.int4(row), .int8(Int64(query.after)), .int8(Int64(limit))]
        ).map { row in
            (
                number: row.number(0), job: row.optional(1) { $0.uuid($1) },
                refusal: row.optional(2) { QueueLineRefusal($0, from: $1) }
            )
        }
        let jobs = try records(found.compactMap(\.job), app: app)
        return found.map { number, job, refusal in
            let content: QueueCampaignLineRecord.Content? =
                job.flatMap { jobs[$0] }.map { .job($0) } ?? refusal.map { .refused($0) }
            return QueueCampaignLineRecord(number, content ?? .dropped)
        }
    }

    func row(of id: UUID, app: String) throws(QueueError) -> Int32? {
        try query(.campaignRow, id, app.withoutZeroBytes).first.map {
            $0.int4(0)
        }
    }
}

extension PostgresText {
    private static let select = "SELECT \(QueueCampaign.postgresColumns) FROM \(QueueCampaign.postgresTables)"
    fileprivate static let campaign = PostgresText(
        "\(select) WHERE campaign.uuid = $1::uuid AND app.name = $2::text")
    fileprivate static let campaigns: PostgresText = """
        \(select) WHERE campaign.app = (SELECT id FROM app WHERE name = $1::text) AND campaign.id < $2::int8
        ORDER BY campaign.id DESC LIMIT $3::int8
        """
    fileprivate static let activeCampaigns: PostgresText = """
        SELECT \(QueueCampaign.postgresColumnsWithoutSettings) FROM \(QueueCampaign.postgresTables)
        WHERE campaign.state IN (1, 2, 3) ORDER BY campaign.id
        """
    fileprivate static let campaignRow: PostgresText = """
        SELECT id FROM campaign
        WHERE uuid = $1::uuid AND app + 0 = (SELECT id FROM app WHERE name = $2::text)
        """
    fileprivate static let campaignOutcomes: PostgresText = """
        SELECT kind, reason, sum(count)::int8 FROM campaign_outcome WHERE campaign = $1::int4
        GROUP BY kind, reason ORDER BY 3 DESC, kind, reason COLLATE "C"
        """
    private static let refusals = """
        (SELECT line, NULL::uuid AS job, code, detail, place, remedy FROM campaign_refusal
            WHERE campaign = $1::int4 AND line > $2::int8 ORDER BY line LIMIT $3::int8)
        """
    fileprivate static let allLines: PostgresText = """
        (SELECT line, job, NULL::text AS code, NULL::text AS detail, NULL::text AS place, NULL::text AS remedy
            FROM campaign_line WHERE campaign = $1::int4 AND line > $2::int8 ORDER BY line LIMIT $3::int8)
        UNION ALL \(refusals) ORDER BY line LIMIT $3::int8
        """
    fileprivate static let failedLines: PostgresText = """
        (SELECT line.line, line.job, NULL::text AS code, NULL::text AS detail, NULL::text AS place, NULL::text AS remedy
            FROM campaign_failure AS failure CROSS JOIN LATERAL (
                SELECT line, job FROM campaign_line AS l WHERE l.campaign = $1::int4 AND l.line = failure.line OFFSET 0) AS line
            WHERE failure.campaign = $1::int4 AND failure.line > $2::int8 ORDER BY failure.line LIMIT $3::int8)
        UNION ALL \(refusals) ORDER BY line LIMIT $3::int8
        """
}
