import PushPlatform

extension QueueTransaction {
    func start(_ starts: [QueueJobStart]) throws(QueueError) -> [QueueLeaseResult] {
        var results = [QueueLeaseResult](repeating: .unknownJob, count: starts.count)
        var ordered: [(place: UUID, index: Int)] = []
        for (index, start) in starts.enumerated() {
            guard let place = start.replacement?.place else {
                results[index] = try self.start(start)
                continue
            }
            ordered.append((place, index))
        }
        // Of those that replace each other, the oldest one goes first.
        for (_, index) in ordered.sorted(by: { $0.place < $1.place }) {
            results[index] = try self.start(starts[index])
        }
        return results
    }

    private func start(_ start: QueueJobStart) throws(QueueError) -> QueueLeaseResult {
        let lease = start.lease
        guard let key = JobKey(lease.id), let app = try app(lease.app) else { return .unknownJob }
        if let replacement = start.replacement,
            let result = try obstacle(to: replacement, key, app, lease.fence)
        {
            return result
        }
        // Nearly always the job can be started, so it is not read before.
        if try sql(.start).run(key.row, key.tag, app, lease.fence, now) == 1 {
            changes.move(app, from: .leased, to: .started)
            return .done
        }
        guard let job = try job(key, app: app) else { return .unknownJob }
        return job.rules.start(lease.fence) ?? .lost
    }

    /// Makes a job the newest one of its key. Returns the answer if it cannot be started.
    private func obstacle(
        to replacement: QueueReplacement, _ key: JobKey, _ app: Int64, _ fence: Int64
    ) throws(QueueError) -> QueueLeaseResult? {
        guard let job = try job(key, app: app) else { return .unknownJob }
        if let answer = job.rules.start(fence) { return answer }
        let (name, place) = (replacement.key.bytes, replacement.place.bytes)
        let changed = try sql(.setLatest).run(
            app, name, place, key.row, ReplacementRules.until(steady, options.keepKeys),
            now + (.zero - replacement.longest), ReplacementRules.future(now).bytes)
        if changed == 1 { return nil }
        let isNewer = try sql(.isNewer).first(app, name, place, ReplacementRules.future(now).bytes) {
            $0.integer(0) != 0
        }
        return isNewer ?? true ? .busy : .superseded
    }

    func giveBack(_ leases: [QueueJobLease]) throws(QueueError) -> [QueueLeaseResult] {
        try each(leases) { (lease, job) throws(QueueError) in
            if let answer = job.rules.giveBack(lease.fence) { return answer }
            try wait(job)
            return .done
        }
    }

    func extend(_ leases: [QueueJobLease], by duration: Duration) throws(QueueError) -> [QueueLeaseResult] {
        var extended: Set<Int64> = []
        return try each(leases) { (lease, job) throws(QueueError) in
            if let answer = job.rules.extend(lease.fence) { return answer }
            if extended.insert(lease.fence).inserted { try sql(.extend).run(lease.fence, steady + duration) }
            return .done
        }
    }

    func retry(_ retries: [QueueJobRetry]) throws(QueueError) -> [QueueLeaseResult] {
        try retries.map(retry)
    }

    private func retry(_ retry: QueueJobRetry) throws(QueueError) -> QueueLeaseResult {
        guard var job = try job(JobKey(retry.lease.id), app: app(retry.lease.app)) else { return .unknownJob }
        if let answer = job.rules.retry(retry.lease.fence, mayHaveArrived: retry.mayHaveArrived) { return answer }
        if retry.mayHaveArrived, job.state == .started { try setUncertain(&job) }
        try note(.retried, of: job.key, detail: retry.reason)
        if let again = retry.wait(now: now, expires: job.expires) {
            try sql(.setDue).run(job.key.row, again.due, again.isRelative ? 1 : 0)
            try wait(job)
        } else {
            try finish(job, retry.expired)
        }
        return .done
    }

    func setUncertain(_ job: inout JobRow) throws(QueueError) {
        job.rules.isUncertain = true
        try sql(.setUncertain).run(job.key.row)
    }

    /// A line of a campaign that does not run becomes held.
    func wait(_ job: JobRow) throws(QueueError) {
        let state = try job.line.map { (line) throws(QueueError) in try stateOfReturned(line.campaign) } ?? .waiting
        try sql(.wait).run(job.key.row, state.rawValue)
        changes.move(job.app, from: job.state, to: state, campaign: job.line?.campaign)
        changes.held[job.rules.fence, default: 0] -= 1
    }

    private func each(
        _ leases: [QueueJobLease], _ step: (QueueJobLease, JobRow) throws(QueueError) -> QueueLeaseResult
    ) throws(QueueError) -> [QueueLeaseResult] {
        try leases.map { (lease) throws(QueueError) in
            guard let job = try job(JobKey(lease.id), app: app(lease.app)) else { return .unknownJob }
            return try step(lease, job)
        }
    }
}

extension SQLText {
    /// One writer changes the file at a time, so this one statement decides. With several it would not: see `PostgresText.takeLatest`.
    fileprivate static let setLatest: SQLText = """
        INSERT INTO latest VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (app, key) DO UPDATE SET place = excluded.place, job = excluded.job, until = excluded.until
        WHERE (excluded.place >= place OR (place > ?7 AND excluded.place <= ?7)) AND NOT EXISTS (
            SELECT 1 FROM job WHERE job.id = latest.job AND job.id <> excluded.job AND job.state = 2 AND job.started > ?6)
        """
    fileprivate static let isNewer = SQLText(
        "SELECT ?3 >= place OR (place > ?4 AND ?3 <= ?4) FROM latest WHERE app = ?1 AND key = ?2")
    fileprivate static let start: SQLText = """
        UPDATE job SET state = 2, started = ?5, attempts = attempts + 1
        WHERE id = ?1 AND tag = ?2 AND app = ?3 AND fence = ?4 AND state = 1
        """
    fileprivate static let extend = SQLText("UPDATE lease SET ends = ?2 WHERE fence = ?1")
    fileprivate static let setUncertain = SQLText("UPDATE job SET is_uncertain = 1 WHERE id = ?1")
    fileprivate static let setDue = SQLText("UPDATE job SET due = ?2, is_due_relative = ?3 WHERE id = ?1")
    fileprivate static let wait = SQLText("UPDATE job SET state = ?2 WHERE id = ?1")
}
