import PushPlatform
import PushQueue

/// The steps of a worker for the jobs that it has leased.
extension PostgresTransaction {
    /// Starts jobs in one statement. Then decides about the jobs that are not leased with the given fence.
    func start(_ starts: [QueueJobStart]) throws(QueueError) -> [QueueLeaseResult] {
        let leases = starts.map(\.lease)
        let keys = try keys(of: leases)
        let obstacles = try obstacles(to: starts, keys)
        // Several leases can name the same job. Each pair of job and fence is started once.
        var indices: [FencedKey: Int] = [:]
        for (index, key) in keys.enumerated() {
            guard let key, obstacles[leases[index]] == nil else { continue }
            let fenced = FencedKey(job: key, fence: leases[index].fence)
            if indices[fenced] == nil { indices[fenced] = index }
        }
        let quick = indices.values.sorted { PostgresJobKey.isLockedBefore(keys[$0], keys[$1]) }
        var started: Set<Int> = []
        if !quick.isEmpty {
            let rows = try query(
                .start, PostgresValue.int4s(quick.map { keys[$0]?.app ?? 0 }), quick.map { leases[$0].id },
                quick.map { leases[$0].fence }, now)
            for row in rows.map({ ($0.int4(0), $0.uuid(1), $0.integer(2)) }) {
                let fenced = FencedKey(job: PostgresJobKey(app: row.0, id: row.1), fence: row.2)
                if let index = indices[fenced] { started.insert(index) }
                changes.move(row.0, from: .leased, to: .started)
            }
        }
        let rest = keys.indices.filter { !started.contains($0) && obstacles[leases[$0]] == nil }
        let restKeys = rest.compactMap { keys[$0] }
        try requireOrder(locked: !quick.isEmpty, more: !restKeys.isEmpty)
        let jobs = try lock(restKeys)
        return leases.indices.map { index in
            if started.contains(index) { return .done }
            if let obstacle = obstacles[leases[index]] { return obstacle }
            guard let key = keys[index], let job = jobs[key] else { return .unknownJob }
            return job.rules.start(leases[index].fence) ?? .lost
        }
    }

    func giveBack(_ leases: [QueueJobLease]) throws(QueueError) -> [QueueLeaseResult] {
        try each(leases) { (index, job) throws(QueueError) in
            if let answer = job.rules.giveBack(leases[index].fence) { return answer }
            try wait(&job)
            return .done
        }
    }

    /// Gives back the jobs of a claim whose answer was lost. If it was not committed, there is no such lease.
    func giveBackClaim(_ fence: Int64) throws(QueueError) {
        guard let row = try query(.claimedJobs, fence).first else { return }
        let keys = zip(row.integers(0), row.uuids(1)).map {
            PostgresJobKey(app: Int32(truncatingIfNeeded: $0), id: $1)
        }
        try lockCampaigns(of: keys)
        for var job in try lock(keys).values where job.rules.fence == fence && job.state == .leased {
            try wait(&job)
        }
    }

    func extend(_ leases: [QueueJobLease], by duration: Duration) throws(QueueError) -> [QueueLeaseResult] {
        try each(leases) { (index, job) throws(QueueError) in
            let fence = leases[index].fence
            if let answer = job.rules.extend(fence) { return answer }
            changes.extended[fence] = steady + duration
            return .done
        }
    }

    func retry(_ retries: [QueueJobRetry]) throws(QueueError) -> [QueueLeaseResult] {
        try each(retries.map(\.lease)) { (index, job) throws(QueueError) in
            let retry = retries[index]
            if let answer = job.rules.retry(retry.lease.fence, mayHaveArrived: retry.mayHaveArrived) { return answer }
            try self.retry(retry, &job)
            return .done
        }
    }

    private func retry(_ retry: QueueJobRetry, _ job: inout PostgresJob) throws(QueueError) {
        let key = PostgresJobKey(app: job.app, id: job.id)
        if retry.mayHaveArrived, job.state == .started { setUncertain(&job) }
        note(.retried, of: key, detail: retry.reason)
        if let again = retry.wait(now: now, expires: job.expires) {
            job.due = again.due
            perform(.setDue, job.app, job.id, job.due, again.isRelative)
            try wait(&job)
        } else {
            job.outcome = finish(job, retry.expired).kind
            job.rules.state = .finished
        }
    }

    /// Notes that a try of a job may have reached Apple.
    func setUncertain(_ job: inout PostgresJob) {
        job.rules.isUncertain = true
        perform(.setUncertain, job.app, job.id)
    }

    /// Makes a leased job wait again. A line of a campaign that does not run becomes held.
    func wait(_ job: inout PostgresJob) throws(QueueError) {
        let state = try job.campaign.map { (row) throws(QueueError) in try stateOfReturned(row) } ?? .waiting
        perform(.wait, job.app, job.id, Int16(state.rawValue), state == .waiting, state == .held)
        changes.move(job.app, from: job.state, to: state, campaign: job.campaign)
        if state == .waiting { changes.waits(job.app, due: job.due) }
        changes.held[job.rules.fence, default: 0] -= 1
        job.rules.state = state
    }

    private struct FencedKey: Hashable {
        var job: PostgresJobKey
        var fence: Int64
    }

    func keys(of leases: [QueueJobLease]) throws(QueueError) -> [PostgresJobKey?] {
        try leases.map { (lease) throws(QueueError) in
            try app(lease.app).map { PostgresJobKey(app: $0, id: lease.id) }
        }
    }

    /// Runs a step for each lease, with the job as the steps before have left it.
    private func each(
        _ leases: [QueueJobLease], _ step: (Int, inout PostgresJob) throws(QueueError) -> QueueLeaseResult
    ) throws(QueueError) -> [QueueLeaseResult] {
        let keys = try keys(of: leases)
        var jobs = try lock(keys.compactMap(\.self))
        return try leases.indices.map { (index) throws(QueueError) in
            guard let key = keys[index], var job = jobs[key] else { return .unknownJob }
            let result = try step(index, &job)
            jobs[key] = job
            return result
        }
    }
}

extension PostgresText {
    /// It changes no indexed column. A job that another transaction changes at the same time may be missed.
    static let start: PostgresText = """
        UPDATE job SET state = 2, started = $4::int8, attempts = attempts + 1
        FROM (
            SELECT given.fence, found.row FROM unnest($1::int4[], $2::uuid[], $3::int8[]) AS given (app, id, fence)
                CROSS JOIN LATERAL (\(rowOfGiven)) AS found
            OFFSET 0
        ) AS l
        WHERE job.ctid = l.row AND job.fence = l.fence AND job.state = 1
        RETURNING job.app, job.id, job.fence
        """
    fileprivate static let claimedJobs = PostgresText("SELECT apps, jobs FROM lease WHERE fence = $1::int8")
    fileprivate static let setUncertain = PostgresText(
        "UPDATE job SET is_uncertain = true WHERE app = $1::int4 AND id = $2::uuid")
    fileprivate static let setDue = PostgresText(
        "UPDATE job SET due = $3::int8, is_due_relative = $4::bool WHERE app = $1::int4 AND id = $2::uuid")
    fileprivate static let wait: PostgresText = """
        UPDATE job SET state = $3::int2, is_waiting = $4::bool, is_held = $5::bool
        WHERE app = $1::int4 AND id = $2::uuid
        """
}
