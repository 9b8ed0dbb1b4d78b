import PushPlatform

extension QueueTransaction {
    func stop(_ ids: [UUID], app: String, as outcome: QueueJobOutcome) throws(QueueError) -> [QueueStopResult] {
        let app = try self.app(app)
        return try ids.map { (id) throws(QueueError) in
            guard let job = try job(JobKey(id), app: app) else { return .unknownJob }
            let result = job.rules.stop(recorded: job.outcome)
            if result.isStopped { try finish(job, outcome) }
            return result
        }
    }

    func cancelAll(app: String, limit: Int) throws(QueueError) -> QueueCancelled {
        guard let app = try self.app(app) else { return QueueCancelled() }
        try cancelCampaigns(of: app)
        let rows = try sql(.waitingOfApp).all(app, limit) { $0.integer(0) }
        var cancelled = try endUnstarted(rows, as: QueueJobOutcome.cancelled)
        cancelled += try cancelHeldLines(of: app, limit: limit - rows.count)
        return cancelled
    }

    func endUnstarted(_ rows: [Int64], as reason: String) throws(QueueError) -> QueueCancelled {
        var ended = QueueCancelled()
        for row in rows {
            guard let job = try job(row: row) else { continue }
            try finish(job, QueueJobOutcome(.notSent, reason: reason))
            ended.add(isUncertain: job.isUncertain)
        }
        return ended
    }

    func redrive(
        _ ids: [UUID], app name: String, expiry: NewQueueJob.Expiry
    ) throws(QueueError) -> [QueueRedriveResult] {
        let app = try self.app(name)
        return try ids.map { (id) throws(QueueError) in try redrive(JobKey(id), app: app, expiry) }
    }

    private func redrive(
        _ key: JobKey?, app: Int64?, _ expiry: NewQueueJob.Expiry
    ) throws(QueueError) -> QueueRedriveResult {
        guard let app, let job = try job(key, app: app) else { return .unknownJob }
        let letter = try sql(.deadLetter).first(app, job.key.row) { row in
            row.optional(0) { UUID(bytes: $0.bytes($1)) } ?? nil
        }
        guard let letter else { return .notBuried }
        if let id = letter { return .redriven(id) }
        let source = try sql(.redriveSource).first(job.key.row) { row in
            (
                QueuePriority(rawValue: row.number(0)) ?? .normal, row.optional(1) { $0.integer($1) }, row.bytes(2),
                RedrivenTimes(
                    due: row.time(3), queued: row.time(4), attempts: row.number(5),
                    starts: row.optional(6) { $0.time($1) })
            )
        }
        guard let (priority, payload, push, old) = source, let payload else { return .erased }
        guard let times = old.times(expiry: expiry, now: now) else { throw .expiredRedrive }
        var rows = try freeRows([times.due])
        let new = try insertJob(app: app, priority, job.rules.policy, times, row: rows.take(times.due))
        try sql(.copyContent).run(job.key.row, new.row, RedrivenPush.bytes(push, after: job.key.id))
        changes.uses[payload, default: 0] += 1
        changes.count(app) { $0.deadLetters -= 1 }
        try sql(.setRedriven).run(app, job.key.row, new.id.bytes)
        try note(.redriven, of: new, detail: job.key.id.uuidString.lowercased())
        return .queued(new.id)
    }
}

extension SQLText {
    fileprivate static let waitingOfApp = SQLText(
        "SELECT id FROM job INDEXED BY job_waiting WHERE state = 0 AND app = ?1 LIMIT ?2")
    fileprivate static let deadLetter = SQLText("SELECT redriven_as FROM dead_letter WHERE app = ?1 AND job = ?2")
    fileprivate static let redriveSource: SQLText = """
        SELECT job.priority, content.payload, content.push, job.due, job.queued, job.attempts,
            (SELECT starts FROM campaign WHERE campaign.id = job.campaign)
        FROM job JOIN content ON content.job = job.id WHERE job.id = ?1
        """
    fileprivate static let copyContent: SQLText = """
        INSERT INTO content (job, target, push, variables, payload, bucket, mark)
        SELECT ?2, target, ?3, variables, payload, bucket, mark FROM content WHERE job = ?1
        """
    fileprivate static let setRedriven = SQLText(
        "UPDATE dead_letter SET redriven_as = ?3 WHERE app = ?1 AND job = ?2")
}
