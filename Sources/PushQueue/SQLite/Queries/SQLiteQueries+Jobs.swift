import PushPlatform

/// Jobs as a service shows them.
extension SQLiteQueries {
    func jobs(_ ids: [UUID], app: String) throws(QueueError) -> [QueueJobRecord] {
        var records: [QueueJobRecord] = []
        for id in ids {
            guard let key = JobKey(id), let record = try record(key.row) else { continue }
            if record.id == id, record.app == app { records.append(record) }
        }
        return records
    }

    /// The job of a row; `nil` if there is none.
    func record(_ row: Int64) throws(QueueError) -> QueueJobRecord? {
        try sql(.record).first(row) { Self.record($0) }
    }

    func history(of id: UUID, app: String) throws(QueueError) -> [QueueJobEvent]? {
        guard let record = try jobs([id], app: app).first, let key = JobKey(id) else { return nil }
        let events = try sql(.events).all(key.row) {
            QueueJobEvent(
                QueueJobEvent.Kind(name: $0.text(1)), at: $0.time(0), detail: $0.optional(2) { $0.text($1) })
        }
        return record.history(events)
    }

    /// What is known of a job, from a row of ``SQLText/record``.
    private static func record(_ row: borrowing SQLRow) -> QueueJobRecord {
        let id = JobKey(row: row.integer(0), tag: row.integer(1)).id
        var record = QueueJobRecord(
            id: id, app: row.text(2), target: StoredTarget.read(row, 3), queued: row.time(4), due: row.time(5))
        record.push = row.bytes(6)
        record.state = QueueJobState(rawValue: row.number(7)) ?? .finished
        record.priority = QueuePriority(rawValue: row.number(8)) ?? .normal
        record.policy = QueueDeliveryPolicy(rawValue: row.number(9)) ?? .atMostOnce
        record.expires = row.integer(10) == JobRow.never ? nil : row.time(10)
        (record.attempts, record.lostLeases) = (row.number(11), row.number(12))
        record.started = row.optional(13) { $0.time($1) }
        record.owner = row.optional(14) { $0.text($1) }
        record.leaseEnds = row.optional(15) { min(max($0.time($1), .earliest), .latest) }
        record.finished = row.optional(16) { $0.time($1) }
        record.outcome = outcome(row)
        record.dedupeKey = row.optional(23) { $0.text($1) }
        record.redrivenAs = row.optional(24) { UUID(bytes: $0.bytes($1)) } ?? nil
        record.isErased = row.isNull(25)
        record.campaign = row.optional(26) { UUID(bytes: $0.bytes($1)) } ?? nil
        record.line = row.optional(27) { $0.number($1) }
        return record
    }

    private static func outcome(_ row: borrowing SQLRow) -> QueueJobOutcome? {
        guard let kind = row.optional(17, { $0.number($1) }).flatMap({ QueueJobOutcome.Kind(rawValue: $0) }) else {
            return nil
        }
        var outcome = QueueJobOutcome(
            kind, reason: row.optional(18) { $0.text($1) }, detail: row.optional(19) { $0.text($1) })
        outcome.status = row.optional(20) { $0.number($1) }
        outcome.uniqueID = row.optional(21) { UUID(bytes: $0.bytes($1)) } ?? nil
        outcome.goneSince = row.optional(22) { $0.time($1) }
        return outcome
    }
}

extension SQLText {
    fileprivate static let record: SQLText = """
        SELECT job.id, job.tag, app.name, content.target, job.queued, job.due, content.push, job.state, job.priority,
            job.policy, job.expires, job.attempts, job.lost, job.started, lease.owner,
            lease.ends + (SELECT shift FROM clock WHERE id = 1), job.finished,
            job.outcome, job.reason, job.detail, job.status, job.unique_id, job.gone_since, dedupe.key,
            dead_letter.redriven_as, content.payload, campaign.uuid, job.line
        FROM job JOIN app ON app.id = job.app JOIN content ON content.job = job.id
            LEFT JOIN lease ON lease.fence = job.fence AND job.state IN (1, 2)
            LEFT JOIN dedupe ON dedupe.app = job.app AND dedupe.key = content.dedupe_key AND dedupe.job = job.id
            LEFT JOIN dead_letter ON dead_letter.app = job.app AND dead_letter.job = job.id
            LEFT JOIN campaign ON campaign.id = job.campaign
        WHERE job.id = ?1
        """
    fileprivate static let events = SQLText("SELECT time, kind, detail FROM event WHERE job = ?1 ORDER BY number")
}
