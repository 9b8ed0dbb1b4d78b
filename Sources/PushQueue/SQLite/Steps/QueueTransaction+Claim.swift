import PushPlatform

extension QueueTransaction {
    func claim(_ request: QueueClaimRequest) throws(QueueError) -> [ClaimedQueueJob] {
        var names: [Int64: String] = [:]
        var apps: [(app: Int64, maximum: Int)] = []
        for (name, maximum) in request.apps.sorted(by: { $0.key < $1.key }) where maximum > 0 {
            guard let app = try app(name), try waiting(app) > 0 else { continue }
            names[app] = name
            apps.append((app, maximum))
        }
        var lease = NewLease(fence: changes.fence + 1)
        let claimed = try request.jobs(of: apps, turn: changes.fence) { (app, count, seeksSuspect) throws(QueueError) in
            try leaseJobs(seeksSuspect ? .suspects : .due, count, of: app, names[app] ?? "", &lease)
        }
        guard !claimed.isEmpty else { return [] }
        try sql(.insertLease).run(
            nextFence(), request.owner, steady + request.lease, claimed.count, lease.members)
        return claimed
    }

    /// The jobs of a lease, as bytes.
    private struct NewLease {
        let fence: Int64
        var members: [UInt8] = []

        mutating func add(_ row: Int64) {
            withUnsafeBytes(of: row.littleEndian) { members.append(contentsOf: $0) }
        }
    }

    /// The number of waiting jobs of an app, including the jobs that this transaction has added.
    private func waiting(_ app: Int64) throws(QueueError) -> Int {
        let stored = try sql(.waiting).first(app) { $0.number(0) } ?? 0
        return stored + (changes.counts[app]?.waiting ?? 0)
    }

    private func leaseJobs(
        _ statement: SQLText, _ count: Int, of app: Int64, _ name: String, _ lease: inout NewLease
    ) throws(QueueError) -> [ClaimedQueueJob] {
        var taken: [ClaimedQueueJob] = []
        for priority in QueuePriority.allCases.reversed() where taken.count < count {
            let rows = try sql(statement).all(app, priority.rawValue, now, count - taken.count) {
                DueRow($0, app: name, fence: lease.fence, priority)
            }
            for row in rows {
                try sql(.lease).run(row.key.row, lease.fence)
                lease.add(row.key.row)
                if let campaign = row.campaign { changes.moveLines(of: campaign, from: .waiting, to: .leased) }
                var job = row.job
                job.payload = try body(row.payload)
                taken.append(job)
            }
        }
        changes.move(app, from: .waiting, to: .leased, count: taken.count)
        return taken
    }

    private func body(_ payload: Int64) throws(QueueError) -> [UInt8] {
        if let body = cache.bodies[payload] { return body }
        let body = try sql(.body).first(payload) { $0.bytes(0) } ?? []
        cache.bodies.remember(body, as: payload)
        return body
    }

    private struct DueRow {
        var key: JobKey
        var payload: Int64
        var campaign: Int64?
        var job: ClaimedQueueJob

        init(_ row: borrowing SQLRow, app: String, fence: Int64, _ priority: QueuePriority) {
            key = JobKey(row: row.integer(0), tag: row.integer(1))
            payload = row.integer(10)
            campaign = row.optional(12) { $0.integer($1) }
            let lease = QueueJobLease(id: key.id, app: app, fence: fence)
            job = row.claimedJob(from: 2, lease, StoredTarget.read(row, 8), priority)
        }
    }
}

extension SQLText {
    /// The partial index has their order.
    static let due: SQLText = """
        SELECT \(claimed) FROM job INDEXED BY job_waiting JOIN content ON content.job = job.id
        WHERE \(isDue) AND job.lost < \(JobRules.suspectAfter)
        ORDER BY job.due, job.id LIMIT ?4
        """
    /// The suspects among the first due jobs of an app and a priority.
    static let suspects: SQLText = """
        SELECT \(claimed) FROM (
            SELECT * FROM job INDEXED BY job_waiting WHERE \(isDue)
            ORDER BY job.due, job.id LIMIT \(JobRules.suspectSearch)
        ) AS job JOIN content ON content.job = job.id
        WHERE job.lost >= \(JobRules.suspectAfter)
        ORDER BY job.due, job.id LIMIT ?4
        """
    private static let claimed = """
        job.id, job.tag, job.due, job.expires, job.queued, job.policy, job.attempts, job.is_uncertain,
        content.target, content.push, content.payload, content.variables, job.campaign
        """
    private static let isDue =
        "job.state = 0 AND job.app = ?1 AND job.priority = ?2 AND job.due <= ?3 AND job.expires > ?3"
    fileprivate static let waiting = SQLText("SELECT waiting FROM app WHERE id = ?1")
    fileprivate static let lease = SQLText("UPDATE job SET state = 1, fence = ?2 WHERE id = ?1")
    fileprivate static let insertLease = SQLText("INSERT INTO lease VALUES (?1, ?2, ?3, ?4, ?5)")
    static let body = SQLText("SELECT body FROM payload WHERE id = ?1")
}
