import PushPlatform

extension QueueTransaction {
    func complete(_ completions: [QueueJobCompletion]) throws(QueueError) -> [QueueLeaseResult] {
        try completions.map(complete)
    }

    private func complete(_ completion: QueueJobCompletion) throws(QueueError) -> QueueLeaseResult {
        let (lease, outcome) = (completion.lease, completion.outcome)
        guard let key = JobKey(lease.id), let app = try app(lease.app) else { return .unknownJob }
        // Nearly always the job is accepted and no line of a campaign, and so it is not read before.
        if outcome.kind != .notSent, outcome.goneSince == nil, outcome.reason != QueueJobOutcome.buried {
            if try write(completion, to: key, app: app) {
                changes.held[lease.fence, default: 0] -= 1
                return .done
            }
        }
        guard let job = try job(key, app: app) else { return .unknownJob }
        if let answer = job.rules.complete(lease.fence, as: outcome.kind, recorded: job.outcome) { return answer }
        try finish(job, outcome, pushType: completion.pushType)
        return .done
    }

    /// Gives a started job its outcome. Returns false if it is not started, or not under this fence.
    private func write(_ completion: QueueJobCompletion, to key: JobKey, app: Int64) throws(QueueError) -> Bool {
        let (number, outcome) = (changes.sequence + 1, completion.outcome)
        let changed = try sql(.complete).run(
            key.row, key.tag, app, completion.lease.fence, now, number, outcome.kind.rawValue, outcome.reason,
            outcome.detail,
            outcome.status, outcome.uniqueID?.bytes)
        guard changed == 1 else { return false }
        try insertResult(key, app: app, outcome.kind)
        changes.ended(
            app, from: .started, outcome.kind, reason: outcome.reason, pushType: completion.pushType, campaign: nil)
        return true
    }

    /// Gives a job its outcome, whatever its state is.
    func finish(_ job: JobRow, _ outcome: QueueJobOutcome, pushType: String? = nil) throws(QueueError) {
        let outcome = outcome.afterUncertainTry(job.isUncertain)
        try sql(.finish).run(
            job.key.row, now, changes.sequence + 1, outcome.kind.rawValue, outcome.reason, outcome.detail,
            outcome.status, outcome.uniqueID?.bytes, outcome.goneSince)
        try insertResult(job.key, app: job.app, outcome.kind)
        if let line = job.line, outcome.kind != .accepted {
            try sql(.insertFailure).run(line.campaign, line.number)
        }
        changes.ended(
            job.app, from: job.state, outcome.kind, reason: outcome.reason, pushType: pushType,
            campaign: job.line?.campaign)
        if job.rules.isHeld { changes.held[job.rules.fence, default: 0] -= 1 }
        if outcome.reason == QueueJobOutcome.buried { try addDeadLetter(job) }
        if let since = outcome.goneSince { try recordGone(target(of: job.key), since: since, app: job.app) }
    }

    private func insertResult(_ key: JobKey, app: Int64, _ kind: QueueJobOutcome.Kind) throws(QueueError) {
        try sql(.insertResult).run(app, nextNumber(), key.row, kind.rawValue, steady)
    }

    private func addDeadLetter(_ job: JobRow) throws(QueueError) {
        try sql(.insertDeadLetter).run(job.app, job.key.row)
        changes.count(job.app) { $0.deadLetters += 1 }
    }

    private func target(of key: JobKey) throws(QueueError) -> QueueJobTarget? {
        try sql(.target).first(key.row) { StoredTarget.read($0, 0) }
    }
}

extension SQLText {
    fileprivate static let complete: SQLText = """
        UPDATE job SET state = 3, finished = ?5, sequence = ?6, outcome = ?7, reason = ?8, detail = ?9, status = ?10,
            unique_id = ?11
        WHERE id = ?1 AND tag = ?2 AND app = ?3 AND fence = ?4 AND state = 2 AND campaign IS NULL
        """
    fileprivate static let finish: SQLText = """
        UPDATE job SET state = 3, finished = ?2, sequence = ?3, outcome = ?4, reason = ?5, detail = ?6, status = ?7,
            unique_id = ?8, gone_since = ?9
        WHERE id = ?1
        """
    fileprivate static let insertResult = SQLText("INSERT INTO result VALUES (?1, ?2, ?3, ?4, ?5)")
    fileprivate static let insertFailure = SQLText("INSERT OR IGNORE INTO campaign_failure VALUES (?1, ?2)")
    fileprivate static let insertDeadLetter = SQLText("INSERT INTO dead_letter VALUES (?1, ?2, NULL)")
    fileprivate static let target = SQLText("SELECT target FROM content WHERE job = ?1")
}
