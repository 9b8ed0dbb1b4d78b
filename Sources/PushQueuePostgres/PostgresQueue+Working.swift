internal import NIOConcurrencyHelpers
public import PushQueue

// Documented at QueueBackend. Each step is in the folders Steps and Reading.
extension PostgresQueue {
    /// Takes jobs in.
    public func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
        let enqueue = PostgresEnqueue(request)
        return try await intakeWriter.step(jobs: request.jobs.count) { .enqueue(enqueue, $0) }
    }

    /// Notes that jobs are about to be sent.
    public func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult] {
        try await workWriter.step(isOfWorker: true) { .start(jobs, $0) }
    }

    /// Gives jobs their outcome.
    public func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult] {
        try await workWriter.step(isOfWorker: true) { .complete(completions, $0) }
    }

    /// Reserves an idempotency key.
    public func reserve(
        _ key: QueueIdempotencyKey, app: String, lasting: Duration
    ) async throws(QueueError) -> QueueReservationAnswer {
        try await intakeWriter.write(.row(.request(app: app, key))) { (transaction) throws(QueueError) in
            try transaction.reserve(key, app: app, lasting: lasting)
        }
    }

    /// Stores the answer to the request of a reserved key.
    public func settle(
        _ key: QueueIdempotencyKey, app: String, reservation: QueueReservation, answer: [UInt8]
    ) async throws(QueueError) -> Bool {
        try await intakeWriter.write(.row(.request(app: app, key))) { (transaction) throws(QueueError) in
            try transaction.settle(key, app: app, reservation: reservation, answer: answer)
        }
    }

    /// Gives a reservation up.
    public func release(
        _ key: QueueIdempotencyKey, app: String, reservation: QueueReservation
    ) async throws(QueueError) {
        try await intakeWriter.write(.row(.request(app: app, key))) { (transaction) throws(QueueError) in
            try transaction.release(key, app: app, reservation: reservation)
        }
    }

    /// Leases due jobs to a worker.
    public func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob] {
        try await returnLostClaims()
        let fence = NIOLockedValueBox<Int64?>(nil)
        do throws(QueueError) {
            return try await workWriter.write(isOfWorker: true) { (transaction) throws(QueueError) in
                let jobs = try transaction.claim(request)
                fence.withLockedValue { $0 = jobs.first?.lease.fence }
                return jobs
            }
        } catch {
            // The claim may be stored, and nobody knows its jobs.
            if error.code == .unreachable, let fence = fence.withLockedValue({ $0 }) {
                _ = lostClaims.withLockedValue { $0.insert(fence) }
            }
            throw error
        }
    }

    private func returnLostClaims() async throws(QueueError) {
        for fence in lostClaims.withLockedValue({ $0 }) {
            try await workWriter.write(isOfWorker: true, .alone) { (transaction) throws(QueueError) in
                try transaction.giveBackClaim(fence)
            }
            _ = lostClaims.withLockedValue { $0.remove(fence) }
        }
    }

    /// Makes leases end a duration from now.
    public func extend(
        _ leases: [QueueJobLease], by duration: Duration
    ) async throws(QueueError) -> [QueueLeaseResult] {
        try await workWriter.write(isOfWorker: true, .shared(PostgresLocks(leases))) {
            (transaction) throws(QueueError) in
            try transaction.extend(leases, by: duration)
        }
    }

    /// Returns unstarted jobs to the queue.
    public func giveBack(_ leases: [QueueJobLease]) async throws(QueueError) -> [QueueLeaseResult] {
        let locks = PostgresLocks(leases, locksCampaigns: true)
        return try await workWriter.write(isOfWorker: true, .shared(locks)) { (transaction) throws(QueueError) in
            try transaction.giveBack(leases)
        }
    }

    /// Returns jobs to the queue for another attempt.
    public func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult] {
        let locks = PostgresLocks(retries.map(\.lease), locksCampaigns: true)
        return try await workWriter.write(isOfWorker: true, .shared(locks)) { (transaction) throws(QueueError) in
            try transaction.retry(retries)
        }
    }

}
