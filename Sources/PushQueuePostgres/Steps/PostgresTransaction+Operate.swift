import PushPlatform
import PushQueue

/// What an operator or a caller of the service does with jobs.
extension PostgresTransaction {
    func stop(_ ids: [UUID], app name: String, as outcome: QueueJobOutcome) throws(QueueError) -> [QueueStopResult] {
        guard let app = try app(name) else { return ids.map { _ in .unknownJob } }
        var jobs = try lock(ids, app: app)
        return ids.map { id in
            guard let job = jobs[id] else { return .unknownJob }
            let result = job.rules.stop(recorded: job.outcome)
            if result.isStopped {
                jobs[id]?.outcome = finish(job, outcome).kind
                jobs[id]?.rules.state = .finished
            }
            return result
        }
    }

    func cancelAll(app name: String, limit: Int) throws(QueueError) -> QueueCancelled {
        var cancelled = QueueCancelled()
        guard let app = try app(name) else { return cancelled }
        try cancelCampaigns(of: app)
        let rows = try query(.waitingOfApp, app, limit)
        let waiting = rows.map { PostgresJobKey(app: app, id: $0.uuid(0)) }
        let held = try heldLines(ofCancelledCampaignsOf: app, limit: limit - waiting.count)
        // Together, in the order of all transactions.
        let jobs = try lock(waiting + held).values.filter { $0.state == .waiting || $0.state == .held }
        for job in jobs {
            finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.cancelled))
            cancelled.add(isUncertain: job.isUncertain)
        }
        return cancelled
    }

    func redrive(
        _ ids: [UUID], app name: String, expiry: NewQueueJob.Expiry
    ) throws(QueueError) -> [QueueRedriveResult] {
        guard let app = try app(name) else { return ids.map { _ in .unknownJob } }
        // In the order of the ids, in which all transactions lock contents.
        var results = [QueueRedriveResult](repeating: .unknownJob, count: ids.count)
        for index in ids.indices.sorted(by: { ids[$0].halves < ids[$1].halves }) {
            results[index] = try redrive(ids[index], app: app, expiry)
        }
        return results
    }

    private func redrive(_ id: UUID, app: Int32, _ expiry: NewQueueJob.Expiry) throws(QueueError)
        -> QueueRedriveResult
    {
        let key: [PostgresValue] = [.int4(app), .uuid(id)]
        guard let source = try query(.redriveSource, key).first else {
            return try query(.isStored, key).count == 0 ? .unknownJob : .notBuried
        }
        if let earlier = source.optional(0, { $0.uuid($1) }) { return .redriven(earlier) }
        if source.bool(1) { return .erased }
        let old = RedrivenTimes(
            due: source.time(4), queued: source.time(5),
            attempts: source.number(6), starts: source.optional(7) { $0.time($1) })
        guard let times = old.times(expiry: expiry, now: now) else { throw .expiredRedrive }
        let new = cache.newID(due: times.due)
        if let shared = source.optional(2, { $0.integer($1) }) { changes.uses[shared, default: 0] += 1 }
        perform(.copyContent, key + [.uuid(new), .bytes(RedrivenPush.bytes(source.bytes(3), after: id))])
        perform(
            .copyJob,
            key + [
                .uuid(new), .bool(times.isDueRelative), .bool(times.isExpiryRelative),
                .int8(times.due.milliseconds), .int8(times.expires?.milliseconds ?? QueueJobRecord.never),
                .int8(now.milliseconds),
            ])
        perform(.setRedriven, key + [.uuid(new)])
        changes.move(app, from: nil, to: .waiting)
        changes.waits(app, due: times.due)
        changes.count(app) { $0.deadLetters -= 1 }
        note(.redriven, of: PostgresJobKey(app: app, id: new), detail: id.uuidString.lowercased())
        return .queued(new)
    }
}

extension PostgresText {
    fileprivate static let waitingOfApp = PostgresText(
        "SELECT id FROM job WHERE is_waiting AND app = $1::int4 LIMIT $2::int8")
    fileprivate static let redriveSource: PostgresText = """
        SELECT d.redriven_as, c.payload IS NULL AND c.shared IS NULL, c.shared, c.push, f.due, f.queued, f.attempts,
            (SELECT starts FROM campaign WHERE campaign.id = f.campaign)
        FROM dead_letter AS d JOIN content AS c ON c.app = d.app AND c.job = d.job
            JOIN finished AS f ON f.app = d.app AND f.id = d.job
        WHERE d.app = $1::int4 AND d.job = $2::uuid FOR UPDATE OF c, d
        """
    fileprivate static let copyContent: PostgresText = """
        INSERT INTO content (app, job, target, push, variables, payload, shared)
        SELECT app, $3::uuid, target, $4::bytea, variables, payload, shared FROM content
        WHERE app = $1::int4 AND job = $2::uuid
        """
    fileprivate static let copyJob: PostgresText = """
        INSERT INTO job (app, id, is_waiting, is_held, state, priority, policy, is_uncertain, is_due_relative,
            is_expiry_relative, attempts, lost, fence, due, expires, queued, started, campaign, line)
        SELECT app, $3::uuid, true, false, 0, priority, policy, false, $4::bool, $5::bool, 0, 0, 0, $6::int8, $7::int8,
            $8::int8, NULL, NULL, NULL
        FROM finished WHERE app = $1::int4 AND id = $2::uuid
        """
    fileprivate static let setRedriven = PostgresText(
        "UPDATE dead_letter SET redriven_as = $3::uuid WHERE app = $1::int4 AND job = $2::uuid")
}
