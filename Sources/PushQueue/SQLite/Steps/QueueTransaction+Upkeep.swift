extension QueueTransaction {
    /// Skips jobs that no longer wait.
    func expire(_ rows: [Int64]) throws(QueueError) -> Int {
        var count = 0
        for row in rows {
            guard let job = try job(row: row), job.state == .waiting else { continue }
            guard job.expires <= now.milliseconds else { continue }
            try finish(job, QueueJobOutcome(.notSent, reason: QueueJobOutcome.expired))
            count += 1
        }
        return count
    }

    // MARK: Lost leases

    func recoverLease() throws(QueueError) -> QueueLeaseRecovery? {
        let lease = try sql(.endedLease).first(steady) { ($0.integer(0), $0.bytes(1)) }
        guard let (fence, members) = lease else { return nil }
        var recovery = QueueLeaseRecovery()
        var jobs: [JobRow] = []
        for row in Self.rowsOfLease(members) {
            guard let job = try job(row: row), job.rules.fence == fence, job.rules.isHeld else { continue }
            jobs.append(job)
        }
        for job in jobs { try recover(job, isAlone: jobs.count == 1, &recovery) }
        changes.held[fence] = nil
        try sql(.dropLease).run(fence)
        return recovery
    }

    func endLeases(_ fences: [Int64]) throws(QueueError) {
        for fence in fences { try sql(.endLease).run(fence, steady) }
    }

    private func recover(
        _ lostJob: JobRow, isAlone: Bool, _ recovery: inout QueueLeaseRecovery
    ) throws(QueueError) {
        var job = lostJob
        let loss = job.rules.loss(lost: job.lost, limit: options.buryAfter, isAlone: isAlone)
        try note(.leaseLost, of: job.key, detail: loss.detail)
        // No worker has the fence 0, so the queue refuses later steps of the lost worker.
        try sql(.countLoss).run(job.key.row, loss.attempts, loss.workers)
        if loss.isUncertain { try setUncertain(&job) }
        if let outcome = loss.outcome { try finish(job, outcome) } else { try wait(job) }
        recovery.count(loss.recovery)
    }

    static func rowsOfLease(_ members: [UInt8]) -> [Int64] {
        members.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - 7, by: 8).map {
                Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
            }
        }
    }

    // MARK: Finished jobs

    func erasePayloads(finishedBefore duration: Duration, limit: Int) throws(QueueError) -> Int {
        let count = try clean(.resultsToErase, .setErased, before: duration, limit: limit) { (row) throws(QueueError) in
            try releasePayload(of: row)
            try sql(.erase).run(row)
        }
        cache.bodies.removeAll()
        return count
    }

    func dropFinished(before duration: Duration, limit: Int) throws(QueueError) -> Int {
        try clean(.resultsToDrop, .setDropped, before: duration, limit: limit) { (row) throws(QueueError) in
            if let job = try job(row: row) { try remove(job) }
        }
    }

    /// Cleans the first results of each app that are old enough, and marks the last one. Returns how many.
    private func clean(
        _ results: SQLText, _ mark: SQLText, before duration: Duration, limit: Int,
        _ body: (_ job: Int64) throws(QueueError) -> Void
    ) throws(QueueError) -> Int {
        let latest = steady - duration
        var left = limit
        for app in try sql(.appsWithResults).all(read: { $0.integer(0) }) where left > 0 {
            let found = try sql(results).all(app, left) {
                (sequence: $0.integer(0), job: $0.integer(1), time: $0.steady(2))
            }.prefix { $0.time <= latest }
            for result in found { try body(result.job) }
            if let last = found.last { try sql(mark).run(app, last.sequence) }
            left -= found.count
        }
        return limit - left
    }

    // MARK: Keys

    func dropKeys(limit: Int) throws(QueueError) -> Int {
        var dropped = try sql(.dropRequests).run(steady, limit) + sql(.dropLatest).run(steady, limit)
        let keys = try sql(.oldDedupeKeys).all(steady, limit) {
            (app: $0.integer(0), name: $0.text(1), job: JobKey(row: $0.integer(2), tag: $0.integer(3)))
        }
        for key in keys {
            if let job = try job(key.job, app: key.app), job.state != .finished {
                try sql(.keepDedupeKey).run(key.app, key.name, steady + options.keepKeys)
            } else {
                dropped += try sql(.dropDedupeKey).run(key.app, key.name)
            }
        }
        return try dropped + dropObservations(limit: limit) + dropExcessAudit(limit: limit)
    }
}

extension SQLText {
    fileprivate static let endedLease = SQLText(
        "SELECT fence, jobs FROM lease WHERE ends <= ?1 ORDER BY fence LIMIT 1")
    fileprivate static let endLease = SQLText("UPDATE lease SET ends = min(ends, ?2) WHERE fence = ?1")
    fileprivate static let dropLease = SQLText("DELETE FROM lease WHERE fence = ?1")
    fileprivate static let countLoss = SQLText(
        "UPDATE job SET fence = 0, lost = lost + ?3, attempts = attempts + ?2 WHERE id = ?1")
    fileprivate static let appsWithResults = SQLText("SELECT id FROM app WHERE kept > 0")
    fileprivate static let resultsToErase: SQLText = """
        SELECT sequence, job, steady FROM result
        WHERE app = ?1 AND sequence > (SELECT erased FROM app WHERE id = ?1) ORDER BY sequence LIMIT ?2
        """
    fileprivate static let resultsToDrop = SQLText(
        "SELECT sequence, job, steady FROM result WHERE app = ?1 ORDER BY sequence LIMIT ?2")
    fileprivate static let setErased = SQLText("UPDATE app SET erased = ?2 WHERE id = ?1")
    fileprivate static let setDropped = SQLText("UPDATE app SET dropped = ?2 WHERE id = ?1")
    fileprivate static let erase = SQLText("UPDATE content SET payload = NULL, variables = NULL WHERE job = ?1")
    fileprivate static let dropRequests: SQLText = """
        DELETE FROM request WHERE (app, key) IN
            (SELECT app, key FROM request INDEXED BY request_until WHERE until <= ?1 LIMIT ?2)
        """
    fileprivate static let dropLatest: SQLText = """
        DELETE FROM latest WHERE (app, key) IN
            (SELECT app, key FROM latest INDEXED BY latest_until WHERE until <= ?1 LIMIT ?2)
        """
    fileprivate static let oldDedupeKeys = SQLText(
        "SELECT app, key, job, tag FROM dedupe INDEXED BY dedupe_until WHERE until <= ?1 LIMIT ?2")
    fileprivate static let keepDedupeKey = SQLText("UPDATE dedupe SET until = ?3 WHERE app = ?1 AND key = ?2")
    static let dropDedupeKey = SQLText("DELETE FROM dedupe WHERE app = ?1 AND key = ?2")
}
