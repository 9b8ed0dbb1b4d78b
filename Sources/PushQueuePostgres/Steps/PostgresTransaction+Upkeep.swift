import PushPlatform
import PushQueue

/// The regular upkeep, in slices. Several workers may run it at the same time.
extension PostgresTransaction {
    /// Ends waiting jobs that have expired, and finds out where scans of waiting jobs may begin. A job does not expire before it is due: if a
    /// jump of the clock has moved its expiry before a due time that was given, it ends when it is due.
    func expireOverdue(limit: Int) throws(QueueError) -> Int {
        let priorities = QueuePriority.allCases.map { Int32($0.rawValue) }
        var scan = cache.floors.with { $0.scanBegan(now: now, at: .now) }
        let rows = try query(
            .overdue, priorities, now, limit, scan.places.apps, scan.places.dues, scan.places.ids
        ).map { row in
            let place = row.optional(2) { WaitingFloors.Place(due: $0.integer($1), id: $0.uuid($1 + 1)) }
            let head = WaitingFloors.Head(
                app: row.int4(0), priority: row.number(1), place: place, took: .milliseconds(row.integer(5)))
            return (head: head, late: row.optional(4) { PostgresJobKey(app: head.app, id: $0.uuid($1)) })
        }
        scan.heads = rows.map(\.head)
        changes.scan = scan
        // A job that is locked ends with a later step.
        let keys = Array(rows.compactMap(\.late).prefix(limit))
        let overdue = try lock(keys, waits: false).values.filter { $0.state == .waiting }
        for job in overdue { finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired)) }
        return overdue.count
    }

    // MARK: Lost leases

    /// Takes the jobs of a lease that has ended from its worker; `nil` if there is no such lease.
    func recoverLease() throws(QueueError) -> QueueLeaseRecovery? {
        let floor = cache.leaseFloor(pace: options.fullScanPace)
        guard let row = try query(.endedLease, steady, floor).first else { return nil }
        changes.firstLease = row.integer(0)
        guard let fence = row.optional(1, { $0.integer($1) }) else { return nil }
        let keys = zip(row.integers(2), row.uuids(3)).map {
            PostgresJobKey(app: Int32(truncatingIfNeeded: $0), id: $1)
        }
        // Lock the campaigns first, then the jobs, then the lease, like all steps.
        try lockCampaigns(of: keys)
        let jobs = try lock(keys)
        var recovery = QueueLeaseRecovery()
        let isLost = try query(.lockEndedLease, fence, steady).count > 0
        guard isLost else { return recovery }
        let held = keys.compactMap { jobs[$0] }.filter { $0.rules.fence == fence && $0.rules.isHeld }
        for job in held { try recover(job, isAlone: held.count == 1, &recovery) }
        changes.held[fence] = nil
        perform(.dropLease, fence)
        return recovery
    }

    private func recover(
        _ lostJob: PostgresJob, isAlone: Bool, _ recovery: inout QueueLeaseRecovery
    ) throws(QueueError) {
        var job = lostJob
        let loss = job.rules.loss(lost: job.lost, limit: options.queue.buryAfter, isAlone: isAlone)
        note(.leaseLost, of: PostgresJobKey(app: job.app, id: job.id), detail: loss.detail)
        // No worker has the fence 0, so the queue refuses later steps of the lost worker.
        perform(.countLoss, job.app, job.id, Int32(loss.attempts), Int32(loss.workers))
        if loss.isUncertain { setUncertain(&job) }
        if let outcome = loss.outcome { finish(job, outcome) } else { try wait(&job) }
        recovery.count(loss.recovery)
    }

    // MARK: Finished jobs

    func erasePayloads(finishedBefore duration: Duration, limit: Int) throws(QueueError) -> Int {
        let count = try clean(.resultsToErase, .setErased, before: duration, limit: limit) {
            (app, jobs) throws(QueueError) in
            try release(payloadsOf: jobs, app: app)
            perform(.erase, app, jobs)
        }
        cache.bodies.removeAll()
        return count
    }

    func dropFinished(before duration: Duration, limit: Int) throws(QueueError) -> Int {
        try clean(.resultsToDrop, .setDropped, before: duration, limit: limit) { (app, jobs) throws(QueueError) in
            try remove(jobs, app: app)
        }
    }

    /// Cleans the first results of each app that are old enough, and marks the last one. Returns how many. It leaves out apps that another
    /// worker is cleaning.
    private func clean(
        _ results: PostgresText, _ mark: PostgresText, before duration: Duration, limit: Int,
        _ body: (_ app: Int32, _ jobs: [UUID]) throws(QueueError) -> Void
    ) throws(QueueError) -> Int {
        let latest = steady - duration
        var left = limit
        for app in try query(.appsToClean).map({ $0.int4(0) }) where left > 0 {
            let found = try query(results, app, left, committedLimit()).map {
                (number: $0.integer(0), job: $0.uuid(1), time: $0.steady(2))
            }.prefix { $0.time <= latest }
            guard let last = found.last else { continue }
            try body(app, found.map(\.job))
            perform(mark, app, last.number)
            left -= found.count
        }
        return limit - left
    }

    // MARK: Keys

    func dropKeys(limit: Int) throws(QueueError) -> Int {
        let time = PostgresValue.int8(steady.milliseconds)
        let values = [time, PostgresValue.int8(Int64(limit))]
        // This runs first. It gives keys of open jobs a later time, so the oldest keys are then keys to drop.
        let scanLimit = PostgresValue.int8(Int64(limit) * 5)
        let results = try query([
            PostgresStatement(.dropRequests, values),
            PostgresStatement(.keepDedupeKeys, time, scanLimit, (steady + options.queue.keepKeys)),
            PostgresStatement(.dropDedupeKeys, values), PostgresStatement(.dropLatest, values),
        ])
        let observations = try dropObservations(limit: limit) + dropExcessAudit(limit: limit)
        return results[0].affected + results[2].affected + results[3].affected + observations
    }
}

extension PostgresText {
    /// The first waiting job of each app and priority, and those that have expired among the first due ones, so the cost does not depend on
    /// the number of waiting jobs. An expired job behind them is not sent in any case, and ends when the jobs before it are gone. Without
    /// locks: it also finds jobs that another transaction has locked (``WaitingFloors``).
    ///
    /// Each app and priority has a row, even if no job waits. These come on top of the `$3` expired jobs.
    static let overdue: PostgresText = """
        SELECT app.id, p.priority, head.due, head.id, late.id, head.took
        FROM app CROSS JOIN unnest($1::int4[]) AS p (priority) CROSS JOIN LATERAL (
            SELECT found.due, found.id, \(milliseconds("clock_timestamp() - began.at")) AS took
            FROM (SELECT clock_timestamp() AS at, p.priority OFFSET 0) AS began LEFT JOIN LATERAL (
                SELECT job.due, job.id FROM job
                WHERE is_waiting AND job.app = app.id AND job.priority = began.priority::int2
                    AND \(isAboveFloor("$4", "$5", "$6"))
                ORDER BY job.due, job.id LIMIT 1
            ) AS found ON true
            OFFSET 0
        ) AS head LEFT JOIN LATERAL (
            SELECT due.id FROM (
                SELECT job.id, job.expires FROM job
                WHERE is_waiting AND job.app = app.id AND job.priority = p.priority::int2 AND job.due <= $2::int8
                    AND (job.due, job.id) >= (head.due, head.id)
                ORDER BY job.due, job.id LIMIT 20000
            ) AS due
            WHERE due.expires <= $2::int8 LIMIT $3::int8
        ) AS late ON true
        LIMIT $3::int8 + 3 * (SELECT count(*) FROM app)
        """
    /// Where the next scan can begin, and the first lease that has ended.
    static let endedLease: PostgresText = """
        SELECT coalesce(head.fence, pg_sequence_last_value(to_regclass('fence')), $2::int8), ended.fence, ended.apps,
            ended.jobs
        FROM (
            SELECT (SELECT fence FROM lease WHERE fence >= $2::int8 ORDER BY fence LIMIT 1) AS fence OFFSET 0
        ) AS head LEFT JOIN LATERAL (
            SELECT fence, apps, jobs FROM lease WHERE fence >= head.fence AND ends <= $1::int8 ORDER BY fence LIMIT 1
        ) AS ended ON true
        """
    fileprivate static let lockEndedLease = PostgresText(
        "SELECT 1 FROM lease WHERE fence = $1::int8 AND ends <= $2::int8 FOR UPDATE")
    fileprivate static let dropLease = PostgresText("DELETE FROM lease WHERE fence = $1::int8")
    fileprivate static let countLoss: PostgresText = """
        UPDATE job SET fence = 0, lost = lost + $4::int4, attempts = attempts + $3::int4
        WHERE app = $1::int4 AND id = $2::uuid
        """
    fileprivate static let appsToClean = PostgresText("SELECT id FROM app ORDER BY id FOR UPDATE SKIP LOCKED")
    private static func results(after: String) -> String {
        """
        SELECT number, id, steady FROM finished
        WHERE app::int8 = $1::int4 AND number > \(after)
            AND number < $3::int8
        ORDER BY number LIMIT $2::int8
        """
    }
    fileprivate static let resultsToErase = PostgresText(
        results(after: "(SELECT erased FROM app WHERE id = $1::int4)"))
    fileprivate static let resultsToDrop = PostgresText(results(after: "-1"))
    fileprivate static let setErased = PostgresText("UPDATE app SET erased = $2::int8 WHERE id = $1::int4")
    fileprivate static let setDropped = PostgresText("UPDATE app SET dropped = $2::int8 WHERE id = $1::int4")
    fileprivate static let erase: PostgresText = """
        UPDATE content SET payload = NULL, shared = NULL, variables = NULL
        WHERE \(isFound(in: "content", key: "job"))
        """
    fileprivate static let dropRequests: PostgresText = """
        DELETE FROM request WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM request WHERE until <= $1::int8 LIMIT $2::int8 FOR UPDATE SKIP LOCKED))
        """
    /// The condition for the oldest `$2` expired keys: with `EXISTS` those of open jobs, with `NOT EXISTS` the others.
    private static func oldKeys(ofJobs condition: String) -> String {
        """
        ctid = ANY (ARRAY(SELECT locked.ctid FROM (
            SELECT ctid AS tid, app, job FROM dedupe WHERE until <= $1::int8 ORDER BY until LIMIT $2::int8
        ) AS d CROSS JOIN LATERAL (
            SELECT ctid FROM dedupe WHERE dedupe.ctid = d.tid AND until + 0 <= $1::int8 OFFSET 0 FOR UPDATE SKIP LOCKED
        ) AS locked WHERE \(condition) (SELECT FROM job WHERE job.app = d.app AND job.id = d.job OFFSET 0)))
        """
    }
    fileprivate static let dropDedupeKeys = PostgresText(
        "DELETE FROM dedupe WHERE \(oldKeys(ofJobs: "NOT EXISTS"))")
    fileprivate static let dropLatest: PostgresText = """
        DELETE FROM latest WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM latest WHERE until <= $1::int8 LIMIT $2::int8 FOR UPDATE SKIP LOCKED))
        """
    fileprivate static let keepDedupeKeys = PostgresText(
        "UPDATE dedupe SET until = $3::int8 WHERE \(oldKeys(ofJobs: "EXISTS"))")
}
