import PushPlatform

/// What operators look at beside jobs: payloads, the newest outcomes, counts, the audit.
extension SQLiteQueries {
    func contents(of ids: [UUID], app: String) throws(QueueError) -> [UUID: QueueJobContent] {
        guard let app = try self.app(app) else { return [:] }
        var contents: [UUID: QueueJobContent] = [:]
        for id in ids {
            guard let key = JobKey(id) else { continue }
            contents[id] = try sql(.content).first(key.row, key.tag, app) { QueueJobContent($0, from: 0) }
        }
        return contents
    }

    // MARK: The newest outcomes

    private typealias Newest = NewestRows<(job: Int64, kind: Int)>

    func newest(_ query: QueueNewestQuery) throws(QueueError) -> QueueNewestPage {
        let limit = try QueuePage<QueueJobRecord>.checked(query.limit)
        var parts: [Newest.Part] = []
        for name in Set(query.apps) {
            guard let app = try app(name) else { continue }
            var campaign: Int64?
            if let id = query.campaign {
                campaign = try row(of: id, app: app)
                if campaign == nil { continue }
            }
            parts.append(try newest(query, app, campaign, limit))
        }
        return try Newest(parts, limit: limit).page { (row) throws(QueueError) in try record(row.job) }
    }

    private func newest(
        _ query: QueueNewestQuery, _ app: Int64, _ campaign: Int64?, _ limit: Int
    ) throws(QueueError) -> Newest.Part {
        let before = query.before?.number ?? .max
        func read(_ row: borrowing SQLRow) -> (number: Int64, row: (job: Int64, kind: Int)) {
            (row.integer(0), (row.integer(1), row.number(2)))
        }
        let count = query.rowsToRead(limit: limit, ofCampaign: campaign != nil)
        let found =
            switch (campaign, query.reason, query.kind) {
            case (let campaign?, let reason, _):
                try sql(.newestOfCampaign).all(campaign, before, count, reason, read: read)
            case (nil, let reason?, _): try sql(.newestWithReason).all(app, before, count, reason, read: read)
            case (nil, nil, nil), (nil, nil, .accepted): try sql(.newest).all(app, before, count, read: read)
            case (nil, nil, let kind?): try sql(.newestRare).all(app, before, count, kind.rawValue, read: read)
            }
        return Newest.Part(found, isWhole: found.count < count) { query.includes(kind: $0.kind) }
    }

    // MARK: Counts and audit

    func tallies(
        of apps: [String], _ span: QueueTallySpan, since time: QueueTime, until end: QueueTime
    ) throws(QueueError) -> [QueueTally] {
        var tallies: [QueueTally] = []
        for name in Set(apps).sorted() {
            guard let app = try app(name) else { continue }
            tallies += try sql(.tallies).all(app, span.rawValue, span.begin(of: time), end) {
                QueueTally($0, from: 0, app: name)
            }
        }
        return tallies
    }

    func audit(of apps: [String]?, before number: Int64, limit: Int) throws(QueueError) -> [QueueAuditRecord] {
        let limit = try QueuePage<QueueAuditRecord>.checked(limit)
        guard let apps else { return try sql(.audit).all(number, limit) { QueueAuditRecord($0) } }
        var found: [QueueAuditRecord] = []
        for app in Set(apps) { found += try sql(.auditOfApp).all(app, number, limit) { QueueAuditRecord($0) } }
        return Array(found.sorted { $0.number > $1.number }.prefix(limit))
    }
}

extension SQLText {
    fileprivate static let content: SQLText = """
        SELECT payload.body, content.variables, job.sequence
        FROM job JOIN content ON content.job = job.id LEFT JOIN payload ON payload.id = content.payload
        WHERE job.id = ?1 AND job.tag = ?2 AND job.app = ?3
        """
    static let newest = SQLText(
        "SELECT sequence, job, outcome FROM result WHERE app = ?1 AND sequence < ?2 ORDER BY sequence DESC LIMIT ?3")
    static let newestRare: SQLText = """
        SELECT sequence, job, outcome FROM result INDEXED BY result_rare
        WHERE app = ?1 AND outcome = ?4 AND outcome <> 0 AND sequence < ?2 ORDER BY sequence DESC LIMIT ?3
        """
    static let newestWithReason: SQLText = """
        SELECT sequence, id, outcome FROM job INDEXED BY job_reason
        WHERE app = ?1 AND reason = ?4 AND reason IS NOT NULL AND sequence < ?2 ORDER BY sequence DESC LIMIT ?3
        """
    /// The kind is -1 if a line has another reason.
    static let newestOfCampaign: SQLText = """
        SELECT sequence, id, CASE WHEN ?4 IS NULL OR reason = ?4 THEN outcome ELSE -1 END
        FROM job INDEXED BY job_campaign_outcome
        WHERE campaign = ?1 AND campaign IS NOT NULL AND sequence IS NOT NULL AND sequence < ?2
        ORDER BY sequence DESC LIMIT ?3
        """
    static let tallies: SQLText = """
        SELECT begin, kind, reason, count FROM tally WHERE app = ?1 AND span = ?2 AND begin >= ?3 AND begin < ?4
        ORDER BY begin, kind, reason
        """
    static let audit = SQLText(
        "SELECT number, app, time, content FROM audit WHERE number < ?1 ORDER BY number DESC LIMIT ?2")
    static let auditOfApp: SQLText = """
        SELECT number, app, time, content FROM audit INDEXED BY audit_app
        WHERE app = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3
        """
}
