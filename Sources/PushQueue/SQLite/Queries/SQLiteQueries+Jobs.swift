import PushPlatform

extension SQLiteQueries {
    func jobs(_ ids: [UUID], app: String) throws(QueueError) -> [QueueJobRecord] {
        var records: [QueueJobRecord] = []
        for id in ids {
            guard let key = JobKey(id), let record = try record(key.row) else { continue }
            if record.id == id, record.app == app { records.append(record) }
        }
        return records
    }

    func record(_ row: Int64) throws(QueueError) -> QueueJobRecord? {
        try sql(.record).first(row) { Self.record($0) }
    }

    func history(of id: UUID, app: String) throws(QueueError) -> [QueueJobEvent]? {
        guard let record = try jobs([id], app: app).first, let key = JobKey(id) else { return nil }
        let events = try sql(.events).all(key.row) { QueueJobEvent($0) }
        return record.history(events)
    }

    /// What is known of a job, from a row of ``SQLText/record``.
    private static func record(_ row: borrowing SQLRow) -> QueueJobRecord {
        let id = JobKey(row: row.integer(0), tag: row.integer(1)).id
        return QueueJobRecord(row, from: 2, id: id, target: StoredTarget.read(row, 3))
    }
}

extension SQLText {
    fileprivate static let record: SQLText = """
        SELECT job.id, job.tag, app.name, content.target, job.queued, job.due, content.push, job.state, job.priority,
            job.policy, job.expires, job.attempts, job.lost, job.started, lease.owner,
            lease.ends + (SELECT shift FROM clock WHERE id = 1), job.finished,
            job.outcome, job.reason, job.detail, job.status, job.unique_id, job.gone_since, dedupe.key,
            dead_letter.redriven_as, content.payload IS NULL, campaign.uuid, job.line
        FROM job JOIN app ON app.id = job.app JOIN content ON content.job = job.id
            LEFT JOIN lease ON lease.fence = job.fence AND job.state IN (1, 2)
            LEFT JOIN dedupe ON dedupe.app = job.app AND dedupe.key = content.dedupe_key AND dedupe.job = job.id
            LEFT JOIN dead_letter ON dead_letter.app = job.app AND dead_letter.job = job.id
            LEFT JOIN campaign ON campaign.id = job.campaign
        WHERE job.id = ?1
        """
    fileprivate static let events = SQLText("SELECT time, kind, detail FROM event WHERE job = ?1 ORDER BY number")
}
