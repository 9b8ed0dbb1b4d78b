internal import Logging
internal import PushProvider
internal import PushQueue

/// Regular upkeep: renews leases, ends expired jobs, removes old data, and reads changed files.
extension DeliveryEngine {
    // MARK: Leases

    func leaseLoop() async {
        while !Task.isCancelled {
            await leaseWakeUp.wait(for: options.lease / 3)
            await extendLeases()
        }
    }

    /// Extends the leases of all jobs that this worker has. Jobs whose lease is lost are dropped.
    func extendLeases() async {
        let jobs = leases.fences.compactMap { leases.representative(of: $0) }
        // Without a job, an earlier failure means nothing any more.
        guard !jobs.isEmpty else { return worked(.extending) }
        do throws(QueueError) {
            let results = try await queue.extend(jobs, by: options.lease)
            for (job, result) in zip(jobs, results) where result != .done {
                // It may be only this job that has ended.
                let all = leases.leases(of: job.fence)
                let each = try await queue.extend(all, by: options.lease)
                for (lease, result) in zip(all, each) where result != .done { leases.ended(lease) }
                let lost = each.count { $0 == .lost }
                if lost > 0 { logger.warning("leases were lost", metadata: ["count": "\(lost)"]) }
            }
            worked(.extending)
        } catch {
            failed(.extending, error, count: jobs.count)
        }
    }

    // MARK: Rounds

    func upkeepLoop() async {
        var (cleaned, refreshed) = (options.now(), options.now())
        while !isStopping {
            await upkeepWakeUp.wait(for: options.upkeep.interval)
            if isStopping { return }
            let now = options.now()
            await endOverdue()
            if cleaned.duration(to: now) >= options.upkeep.cleaningInterval {
                cleaned = now
                suspects.lookAgain()
                await clean()
                await warnOfOldTransaction()
            }
            if refreshed.duration(to: now) >= options.refreshInterval {
                refreshed = now
                refreshCredentials()
                // Several workers read the pauses more often, with the records of the others.
                guard !options.isShared else { continue }
                do throws(QueueError) { try await readPauses() } catch { failed(.upkeep, error) }
            }
        }
    }

    /// Ends lost leases and expired jobs.
    func endOverdue() async {
        do throws(QueueError) {
            try await keepLeases()
            // While outcomes wait to be stored, do not recover leases: recovery would record less exact outcomes.
            if !queueFailures.isFailing(.storing), recoversAfter.map({ options.now() >= $0 }) ?? true {
                let recovery = try await queue.recoverLeases()
                if recovery.waiting > 0 { suspects.lookAgain() }
                if recovery != QueueLeaseRecovery() {
                    logger.warning(
                        "the leases of a lost worker have expired",
                        metadata: [
                            "waiting": "\(recovery.waiting)", "unknown": "\(recovery.unknown)",
                            "buried": "\(recovery.buried)",
                        ])
                }
            }
            try await inSlices { (slice) throws(QueueError) in try await self.queue.expireOverdue(limit: slice) }
            worked(.upkeep)
        } catch {
            failed(.upkeep, error)
        }
    }

    /// Extends the leases of this worker if the clock of the queue was set forward. Otherwise it would take its own jobs for
    /// those of a lost worker.
    private func keepLeases() async throws(QueueError) {
        let now = try await queue.now()
        if let lastAnswer, now - lastAnswer > options.lease / 3 {
            await extendLeases()
            // The database could not be reached. So the other workers have not extended their leases, and may come back
            // later.
            if options.isShared { recoversAfter = options.now().advanced(by: options.lease / 3 + Self.reconnectTime) }
        }
        lastAnswer = now
    }

    /// Stores the time of an answer, so that a long round does not count as an outage. After a gap of more than a third of a lease it stores
    /// nothing: ``keepLeases()`` must see the gap.
    private func noteAnswer() async throws(QueueError) {
        guard let lastAnswer else { return }
        let now = try await queue.now()
        if now - lastAnswer <= options.lease / 3 { self.lastAnswer = now }
    }

    /// How long another worker may need to reach the database again after an outage: the time limits of a statement and
    /// of a connection.
    private static var reconnectTime: Duration { .seconds(20) }

    func clean() async {
        let (queue, upkeep) = (queue, options.upkeep)
        do throws(QueueError) {
            try await inSlices { (slice) throws(QueueError) in
                try await queue.erasePayloads(finishedBefore: upkeep.keepPayloads, limit: slice)
            }
            try await inSlices { (slice) throws(QueueError) in
                try await queue.dropFinished(before: upkeep.keepJobs, limit: slice)
            }
            try await inSlices { (slice) throws(QueueError) in
                try await queue.dropCampaigns(endedBefore: upkeep.keepJobs, limit: slice)
            }
            try await inSlices { (slice) throws(QueueError) in try await queue.dropKeys(limit: slice) }
        } catch {
            failed(.upkeep, error)
        }
    }

    /// The time between two warnings of an old transaction.
    private static var warningInterval: Duration { .seconds(600) }

    /// Warns of a transaction that has been open for long: the tables of the queue grow, and each step takes longer.
    func warnOfOldTransaction() async {
        if let last = warnedOfOldTransaction, last.duration(to: options.now()) < Self.warningInterval { return }
        // If the database cannot be reached, other steps log it.
        guard let oldest = try? await queue.storageLoad()?.oldest else { return }
        guard oldest.age >= options.upkeep.oldTransaction else { return }
        warnedOfOldTransaction = options.now()
        logger.warning(
            """
            a transaction has been open for a long time; the tables of the queue grow until it ends. End it, or set \
            idle_in_transaction_session_timeout
            """,
            metadata: ["seconds": "\(oldest.age.components.seconds)", "owner": "\(oldest.owner.printable)"])
    }

    /// Does something in slices, until a slice is not full.
    private func inSlices(_ body: (Int) async throws(QueueError) -> Int) async throws(QueueError) {
        while !isStopping {
            let count = try await body(options.upkeep.slice)
            try await noteAnswer()
            if count < options.upkeep.slice { return }
            await Task.yield()
        }
    }
}
