import PushPlatform
import PushQueue

extension PostgresTransaction {
    func claim(_ request: QueueClaimRequest) throws(QueueError) -> [ClaimedQueueJob] {
        var names: [Int64: String] = [:]
        var apps: [(app: Int64, maximum: Int)] = []
        for (name, maximum) in request.apps.sorted(by: { $0.key < $1.key }) where maximum > 0 {
            guard let app = try app(name) else { continue }
            names[Int64(app)] = name
            apps.append((Int64(app), maximum))
        }
        guard !apps.isEmpty else { return [] }
        let fence = try query(.nextFence).first?.integer(0) ?? 0
        let claimed = try request.jobs(of: apps, turn: fence) { (app, count, seeksSuspect) throws(QueueError) in
            try leaseJobs(seeksSuspect ? .claimSuspect : .claim, count, of: Int32(app), names[app] ?? "", fence)
        }
        guard !claimed.isEmpty else { return [] }
        let numbers = Dictionary(uniqueKeysWithValues: names.map { ($1, Int32($0)) })
        perform(
            .insertLease, fence, request.owner, (steady + request.lease), Int32(claimed.count),
            PostgresValue.int4s(claimed.map { numbers[$0.app] ?? 0 }), claimed.map(\.id))
        return claimed
    }

    private func leaseJobs(
        _ text: PostgresText, _ count: Int, of app: Int32, _ name: String, _ fence: Int64
    ) throws(QueueError) -> [ClaimedQueueJob] {
        var taken: [ClaimedQueueJob] = []
        for priority in QueuePriority.allCases.reversed() where taken.count < count {
            let floor = cache.floors.with { $0.place(of: app, priority, at: .now) }
            let rows = try query(
                text,
                [
                    .int4(app), .int2(Int16(priority.rawValue)), .int8(now.milliseconds),
                    .int8(Int64(count - taken.count)), .int8(fence), .int8(floor.due), .uuid(floor.id),
                ])
            let bodies = try bodies(rows.map { $0.optional(11) { $0.integer($1) } }.compactMap(\.self))
            taken += rows.map { row in
                let campaign = row.optional(12) { $0.int4($1) }
                if let campaign { changes.moveLines(of: campaign, from: .waiting, to: .leased) }
                let lease = QueueJobLease(id: row.uuid(0), app: name, fence: fence)
                var job = row.claimedJob(from: 1, lease, StoredPostgresTarget.read(row.bytes(7)), priority)
                job.payload = row.optional(11) { bodies[$0.integer($1)] ?? [] } ?? row.bytes(9)
                return job
            }
        }
        changes.move(app, from: .waiting, to: .leased, count: taken.count)
        return taken
    }

    /// The bodies of payloads that many jobs share.
    private func bodies(_ payloads: [Int64]) throws(QueueError) -> [Int64: [UInt8]] {
        var bodies: [Int64: [UInt8]] = [:]
        var missing: Set<Int64> = []
        for payload in Set(payloads) {
            if let body = cache.bodies[payload] { bodies[payload] = body } else { missing.insert(payload) }
        }
        guard !missing.isEmpty else { return bodies }
        for row in try query(.bodies, Array(missing)).map({ ($0.integer(0), $0.bytes(1)) }) {
            bodies[row.0] = row.1
            cache.bodies.remember(row.1, as: row.0)
        }
        return bodies
    }
}

extension PostgresText {
    /// The due jobs of an app and a priority. With the addresses of their rows (`ctid`) in an array, the server first reads them in the
    /// order of the index, and then changes them. As a join, the same takes twenty times as long.
    ///
    /// A plan from a time when the tables were nearly empty stays in use while they grow. So the statement leaves no choice: with
    /// `id = ANY` instead of `ctid = ANY`, or with a plain join, such a plan reads all jobs of the app for each claim.
    static let claim = PostgresText(claim("job WHERE \(isDue) AND lost < \(JobRules.suspectAfter)"))
    /// The suspects among the first due jobs of an app and a priority. With `is_waiting`, a plan reads all waiting jobs of all apps in their
    /// index.
    static let claimSuspect = PostgresText(
        claim(
            """
            job WHERE state = \(QueueJobState.waiting.rawValue) AND ctid = ANY (ARRAY(
                SELECT head.ctid FROM (
                    SELECT ctid, lost FROM job WHERE \(isDue)
                    ORDER BY due, id LIMIT \(JobRules.suspectSearch)
                ) AS head WHERE head.lost >= \(JobRules.suspectAfter)))
            """))
    /// A scan begins behind the index entries of jobs that no longer wait (``WaitingFloors``).
    private static let isDue = """
        is_waiting AND app = $1::int4 AND priority = $2::int2 AND due <= $3::int8 AND expires > $3::int8
            AND (due, id) >= ($6::int8, $7::uuid)
        """
    private static func claim(_ jobs: String) -> String {
        """
        WITH taken AS (
            UPDATE job SET state = 1, is_waiting = false, fence = $5::int8
            WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM \(jobs)
                ORDER BY due, id LIMIT $4::int8 FOR UPDATE SKIP LOCKED))
            RETURNING id, due, expires, queued, policy, attempts, is_uncertain, campaign
        )
        SELECT taken.id, taken.due, taken.expires, taken.queued, taken.policy, taken.attempts, taken.is_uncertain, content.target,
            content.push, content.payload, content.variables, content.shared, taken.campaign
        FROM taken CROSS JOIN LATERAL (
            SELECT * FROM content WHERE content.app = $1::int4 AND content.job = taken.id OFFSET 0) AS content
        ORDER BY taken.due, taken.id
        """
    }
    fileprivate static let bodies = PostgresText("SELECT id, body FROM payload WHERE id = ANY ($1::int8[])")
    fileprivate static let nextFence = PostgresText("SELECT nextval('fence')")
    fileprivate static let insertLease = PostgresText(
        "INSERT INTO lease VALUES ($1::int8, $2::text, $3::int8, $4::int4, $5::int4[], $6::uuid[])")
}
