import PushPlatform

extension SQLiteQueries {
    func campaign(_ id: UUID, app: String, now: QueueTime) throws(QueueError) -> QueueCampaign? {
        try sql(.campaign).first(id.bytes, app) { QueueCampaign($0, now: now) }
    }

    func activeCampaigns(now: QueueTime) throws(QueueError) -> [QueueCampaign] {
        try sql(.activeCampaigns).all { QueueCampaign($0, now: now) }
    }

    func campaigns(
        app: String, after cursor: String?, limit: Int, now: QueueTime
    ) throws(QueueError) -> QueuePage<QueueCampaign> {
        let limit = try QueuePage<QueueCampaign>.checked(limit)
        let after = try QueueCursor(cursor, count: 1)?.numbers[0] ?? .max
        guard let app = try self.app(app) else { return QueuePage(items: [], next: nil) }
        let rows = try sql(.campaigns).all(app, after, limit) { (QueueCampaign($0, now: now), $0.integer(25)) }
        let next = rows.count == limit ? rows.last.map { QueueCursor([$0.1]).text } : nil
        return QueuePage(items: rows.map(\.0), next: next)
    }

    func outcomes(ofCampaign id: UUID, app: String) throws(QueueError) -> [QueueCampaignOutcome] {
        guard let row = try row(of: id, app: app) else { return [] }
        return try sql(.campaignOutcomes).all(row) { QueueCampaignOutcome($0) }
    }

    // MARK: Lines

    func lines(_ query: QueueCampaignLineQuery) throws(QueueError) -> [QueueCampaignLineRecord] {
        let limit = try QueuePage<QueueCampaignLineRecord>.checked(query.limit)
        guard let row = try row(of: query.campaign, app: query.app) else { return [] }
        let statement = query.onlyFailures ? SQLText.failedLines : .allLines
        let found = try sql(statement).all(row, query.after, limit) {
            ($0.number(0), $0.optional(1) { $0.integer($1) })
        }
        return try found.map { (number, job) throws(QueueError) in
            QueueCampaignLineRecord(number, try content(ofLine: number, row, job))
        }
    }

    private func content(
        ofLine number: Int, _ campaign: Int64, _ job: Int64?
    ) throws(QueueError) -> QueueCampaignLineRecord.Content {
        if let job {
            guard let record = try record(job), record.line == number else { return .dropped }
            return .job(record)
        }
        let refusal = try sql(.refusal).first(campaign, number) { QueueLineRefusal($0, from: 0) }
        return refusal.map { .refused($0) } ?? .dropped
    }

    private func row(of id: UUID, app: String) throws(QueueError) -> Int64? {
        guard let app = try self.app(app) else { return nil }
        return try row(of: id, app: app)
    }

    func row(of id: UUID, app: Int64) throws(QueueError) -> Int64? {
        try sql(.campaignRow).first(id.bytes, app) { $0.integer(0) }
    }
}

extension SQLText {
    private static let select = "SELECT \(QueueCampaign.columns) FROM campaign JOIN app ON app.id = campaign.app"
    fileprivate static let campaign = SQLText("\(select) WHERE campaign.uuid = ?1 AND app.name = ?2")
    fileprivate static let campaigns = SQLText(
        "\(select) WHERE campaign.app = ?1 AND campaign.id < ?2 ORDER BY campaign.id DESC LIMIT ?3")
    fileprivate static let activeCampaigns: SQLText = """
        SELECT \(QueueCampaign.columnsWithoutSettings) FROM campaign INDEXED BY campaign_active JOIN app ON app.id = campaign.app
        WHERE campaign.state IN (1, 2, 3) ORDER BY campaign.id
        """
    fileprivate static let campaignRow = SQLText("SELECT id FROM campaign WHERE uuid = ?1 AND app = ?2")
    fileprivate static let campaignOutcomes = SQLText(
        "SELECT kind, reason, count FROM campaign_outcome WHERE campaign = ?1 ORDER BY count DESC, kind, reason")
    fileprivate static let allLines: SQLText = """
        SELECT line, job FROM campaign_line WHERE campaign = ?1 AND line > ?2
        UNION ALL SELECT line, NULL FROM campaign_refusal WHERE campaign = ?1 AND line > ?2
        ORDER BY line LIMIT ?3
        """
    fileprivate static let failedLines: SQLText = """
        SELECT failure.line, line.job FROM campaign_failure AS failure
            JOIN campaign_line AS line ON line.campaign = failure.campaign AND line.line = failure.line
        WHERE failure.campaign = ?1 AND failure.line > ?2
        UNION ALL SELECT line, NULL FROM campaign_refusal WHERE campaign = ?1 AND line > ?2
        ORDER BY 1 LIMIT ?3
        """
    fileprivate static let refusal = SQLText(
        "SELECT code, detail, place, remedy FROM campaign_refusal WHERE campaign = ?1 AND line = ?2")
}
