import PushPlatform

// Documented at QueueBackend. Each step is in the folder Steps.
extension SQLiteQueue {
    package func expireOverdue(limit: Int) async throws(QueueError) -> Int {
        // Corrects a jump of the clock before the search uses the time.
        try await writer.write { (_) throws(QueueError) in }
        // The search can be long, so the writer does not wait for it.
        let time = options.queue.clock()
        let rows = try await read { (queries) throws(QueueError) in
            try queries.overdue(at: time, limit: max(limit, 0))
        }
        return try await writer.write { (transaction) throws(QueueError) in try transaction.expire(rows) }
    }

    /// Takes jobs from workers whose lease or process has ended, one lease in each transaction.
    public func recoverLeases() async throws(QueueError) -> QueueLeaseRecovery {
        try await endLeasesOfDeadOwners()
        return try await recoverEndedLeases()
    }

    private func endLeasesOfDeadOwners() async throws(QueueError) {
        let leases = try await read { (queries) throws(QueueError) in try queries.leases() }
        // Each owner is checked once: a worker can have hundreds of leases.
        let dead = Set(leases.map(\.owner)).filter(owners.isDead)
        let fences = leases.filter { dead.contains($0.owner) }.map(\.fence)
        if fences.isEmpty { return }
        try await writer.write { (transaction) throws(QueueError) in try transaction.endLeases(fences) }
    }

    package func purge(token: String, app: String?) async throws(QueueError) -> Int {
        try await writer.write { (transaction) throws(QueueError) in
            try transaction.forgetGone(token, app: app)
            try transaction.forgetKeys(token, app: app)
        }
        let target = QueueJobTarget.device(token)
        var (count, last) = (0, Int64(-1))
        while true {
            let after = last
            let rows = try await read { (queries) throws(QueueError) in
                try queries.jobs(of: target, after: after, limit: Self.purgeSlice)
            }
            guard let end = rows.last else { break }
            last = end
            let ids = try await writer.write { (transaction) throws(QueueError) in
                try transaction.purge(rows, of: target, app: app)
            }
            count += ids.count
            try await forgetRequests(of: ids)
        }
        await checkpoint()
        return count
    }

    /// Removes the keys of requests whose only job was one of these.
    private func forgetRequests(of ids: [UUID]) async throws(QueueError) {
        if ids.isEmpty { return }
        // It reads all keys, so the writer does not wait for it.
        let keys = try await read { (queries) throws(QueueError) in try queries.requests(ofOnly: ids) }
        if keys.isEmpty { return }
        try await writer.write { (transaction) throws(QueueError) in try transaction.forgetRequests(keys) }
    }

    package func purge(app: String, limit: Int) async throws(QueueError) -> Int {
        let limit = max(limit, 1)
        let count = try await writer.write { (transaction) throws(QueueError) in
            try transaction.purge(app: app, limit: limit)
        }
        if count < limit { await checkpoint() }
        return count
    }

    package func checkWriting() async throws(QueueError) {
        try await writer.write { (transaction) throws(QueueError) in try transaction.check() }
    }

    private static var purgeSlice: Int { 500 }
}
