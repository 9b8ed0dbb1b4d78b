import PushPlatform
import PushQueue

/// The order of pushes that replace each other on a device.
extension PostgresTransaction {
    /// Makes jobs the newest ones of their keys. Returns the answers for those that cannot be started.
    ///
    /// It locks all jobs of the step first, because their states decide which keys are locked.
    func obstacles(
        to starts: [QueueJobStart], _ keys: [PostgresJobKey?]
    ) throws(QueueError) -> [QueueJobLease: QueueLeaseResult] {
        guard starts.contains(where: { $0.replacement != nil }) else { return [:] }
        let jobs = try lock(keys.compactMap(\.self))
        hasLockedJobs = true
        var obstacles: [QueueJobLease: QueueLeaseResult] = [:]
        var wishes: [LatestKey: Wish] = [:]
        for (start, key) in zip(starts, keys) {
            guard let replacement = start.replacement, let key, let job = jobs[key] else { continue }
            // The others are answered by what is known of the job.
            guard job.rules.start(start.lease.fence) == nil else { continue }
            let latest = LatestKey(app: key.app, key: replacement.key)
            let wish = (lease: start.lease, replacement: replacement)
            // Of a key, one job is started at a time: the oldest one of the step.
            guard let other = wishes[latest], other.lease != wish.lease else {
                wishes[latest] = wish
                continue
            }
            let isOlder = replacement.place < other.replacement.place
            obstacles[isOlder ? other.lease : wish.lease] = .busy
            if isOlder { wishes[latest] = wish }
        }
        for (key, result) in try takeLatest(wishes) {
            if let lease = wishes[key]?.lease { obstacles[lease] = result }
        }
        return obstacles
    }

    private struct LatestKey: Hashable {
        var app: Int32
        var key: UUID
    }

    private typealias Wish = (lease: QueueJobLease, replacement: QueueReplacement)

    /// Returns the answer for each key whose job cannot be started.
    private func takeLatest(_ wishes: [LatestKey: Wish]) throws(QueueError) -> [LatestKey: QueueLeaseResult] {
        guard !wishes.isEmpty else { return [:] }
        let keys = wishes.keys.sorted { $0.app == $1.app ? $0.key < $1.key : $0.app < $1.app }
        let all = keys.compactMap { wishes[$0] }
        let names: [PostgresValue] = [.int4s(keys.map(\.app)), .uuids(keys.map(\.key))]
        let mine =
            names + [
                .uuids(all.map(\.replacement.place)), .uuids(all.map(\.lease.id)),
                .int8(ReplacementRules.until(steady, options.queue.keepKeys).milliseconds),
            ]
        let future = PostgresValue.uuid(ReplacementRules.future(now))
        // Three statements, so that the last one sees what another worker has committed while the second one waited for it. With one
        // `INSERT ... ON CONFLICT DO UPDATE ... WHERE NOT EXISTS`, an older push was started after a newer one now and then: the server
        // reads the row again after the wait, but the jobs at a snapshot from before.
        let results = try query([
            PostgresStatement(.insertLatest, mine), PostgresStatement(.lockLatest, Array(mine.prefix(3)) + [future]),
            PostgresStatement(
                .takeLatest,
                mine + [.int8s(all.map { (now + (.zero - $0.replacement.longest)).milliseconds })] + [future]),
        ])
        func key(_ row: PostgresRow) -> LatestKey {
            LatestKey(app: row.int4(0), key: row.uuid(1))
        }
        let taken = Set(results[0].map(key)).union(results[2].map(key))
        let isNewer = Dictionary(results[1].map { (key($0), $0.bool(2)) }) { first, _ in first }
        var answers: [LatestKey: QueueLeaseResult] = [:]
        for key in keys where !taken.contains(key) { answers[key] = isNewer[key] ?? true ? .busy : .superseded }
        return answers
    }
}

extension PostgresText {
    /// Whether a place is at least as new as the newest one. See ``ReplacementRules/future(_:)``.
    private static func isNewer(_ place: String, than latest: String, _ future: String) -> String {
        "(\(place) >= \(latest) OR (\(latest) > \(future) AND \(place) <= \(future)))"
    }

    /// In the order of keys, like the lock: two workers that insert the same keys wait for each other in one direction only.
    fileprivate static let insertLatest: PostgresText = """
        INSERT INTO latest
        SELECT given.app, given.key, given.place, given.job, $5::int8
        FROM unnest($1::int4[], $2::uuid[], $3::uuid[], $4::uuid[]) AS given (app, key, place, job)
        ORDER BY given.app, given.key
        ON CONFLICT DO NOTHING RETURNING app, key
        """
    fileprivate static let lockLatest: PostgresText = """
        SELECT locked.app, locked.key, \(isNewer("given.place", than: "locked.place", "$4::uuid")) FROM (
            SELECT app, key, place FROM unnest($1::int4[], $2::uuid[], $3::uuid[]) AS given (app, key, place)
            ORDER BY app, key OFFSET 0
        ) AS given CROSS JOIN LATERAL (
            SELECT app, key, place FROM latest
            WHERE latest.app = given.app AND latest.key = given.key OFFSET 0 FOR UPDATE
        ) AS locked
        """
    /// The job of this transaction, if it was the last one before, keeps its row as it is until that would end.
    fileprivate static let takeLatest: PostgresText = """
        WITH mine AS (
            SELECT given.*, found.row, found.is_new FROM
                unnest($1::int4[], $2::uuid[], $3::uuid[], $4::uuid[], $6::int8[]) AS given (app, key, place, job, since)
                CROSS JOIN LATERAL (
                    SELECT ctid AS row, latest.job <> given.job OR until < $5::int8 AS is_new FROM latest
                    WHERE latest.app = given.app AND latest.key = given.key
                        AND \(isNewer("given.place", than: "latest.place", "$7::uuid"))
                        AND NOT EXISTS (
                            SELECT FROM job WHERE job.app = latest.app AND job.id = latest.job AND job.id <> given.job
                                AND job.state = 2 AND job.started > given.since OFFSET 0)
                    OFFSET 0
                ) AS found
            OFFSET 0
        ), changed AS (
            UPDATE latest SET place = mine.place, job = mine.job, until = $5::int8
            FROM mine WHERE latest.ctid = mine.row AND mine.is_new
        )
        SELECT app, key FROM mine
        """
}
