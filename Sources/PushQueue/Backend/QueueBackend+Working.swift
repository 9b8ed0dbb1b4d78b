extension QueueBackend {
    /// Makes leases end a duration from now. All jobs of a claim share its lease.
    package func extend(
        _ leases: [QueueJobLease], by duration: Duration
    ) async throws(QueueError) -> [QueueLeaseResult] {
        try await work(.shared(StepLocks(leases))) { (steps) throws(QueueError) in
            try steps.extend(leases, by: duration)
        }
    }

    /// Gives back jobs that were not started: they wait again. This does not count as an attempt.
    package func giveBack(_ leases: [QueueJobLease]) async throws(QueueError) -> [QueueLeaseResult] {
        try await work(.shared(StepLocks(leases, locksCampaigns: true))) { (steps) throws(QueueError) in
            try steps.giveBack(leases)
        }
    }

    /// Puts jobs back for another try.
    public func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult] {
        let locks = StepLocks(retries.map(\.lease), locksCampaigns: true)
        return try await work(.shared(locks)) { (steps) throws(QueueError) in try steps.retry(retries) }
    }

    // MARK: Idempotency keys

    /// Reserves an idempotency key while its request is being read. The reservation ends by itself after a duration.
    package func reserve(
        _ key: QueueIdempotencyKey, app: String, lasting: Duration
    ) async throws(QueueError) -> QueueReservationAnswer {
        try QueueArgument.require(key)
        return try await change(.row(.request(app: app, key))) { (steps) throws(QueueError) in
            try steps.reserve(key, app: app, lasting: lasting)
        }
    }

    /// Gives a reservation up: the key is as if it had never been used.
    package func release(
        _ key: QueueIdempotencyKey, app: String, reservation: QueueReservation
    ) async throws(QueueError) {
        try await change(.row(.request(app: app, key))) { (steps) throws(QueueError) in
            try steps.release(key, app: app, reservation: reservation)
        }
    }
}

/// Upkeep, in slices that do not keep others waiting.
extension QueueBackend {
    /// Takes jobs from workers whose lease has ended.
    public func recoverLeases() async throws(QueueError) -> QueueLeaseRecovery { try await recoverEndedLeases() }

    /// One lease in each transaction.
    func recoverEndedLeases() async throws(QueueError) -> QueueLeaseRecovery {
        var all = QueueLeaseRecovery()
        while let one = try await change(.alone, { (steps) throws(QueueError) in try steps.recoverLease() }) {
            all.waiting += one.waiting
            all.unknown += one.unknown
            all.buried += one.buried
        }
        return all
    }

    /// Erases payloads and variables of jobs that finished a duration ago, at most a number of jobs. Returns how many.
    package func erasePayloads(finishedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int {
        try await change { (steps) throws(QueueError) in
            try steps.erasePayloads(finishedBefore: duration, limit: max(limit, 0))
        }
    }

    /// Drops jobs that finished a duration ago, at most a number of them. Returns how many.
    package func dropFinished(before duration: Duration, limit: Int) async throws(QueueError) -> Int {
        try await change { (steps) throws(QueueError) in
            try steps.dropFinished(before: duration, limit: max(limit, 0))
        }
    }

    /// Drops keys, counts and entries of the audit that are no longer needed, at most a number of each. Returns how many.
    package func dropKeys(limit: Int) async throws(QueueError) -> Int {
        try await change { (steps) throws(QueueError) in try steps.dropKeys(limit: max(limit, 0)) }
    }
}
