// Documented at QueueBackend. Each step is in the folder Steps.
extension SQLiteQueue {
    /// Adds jobs to the queue.
    public func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
        try await writer.write(jobs: request.jobs.count) { (transaction) throws(QueueError) in
            try transaction.enqueue(request)
        }
    }

    /// Reserves an idempotency key.
    public func reserve(
        _ key: QueueIdempotencyKey, app: String, lasting: Duration
    ) async throws(QueueError) -> QueueReservationAnswer {
        try await writer.write { (transaction) throws(QueueError) in
            try transaction.reserve(key, app: app, lasting: lasting)
        }
    }

    /// Stores the answer to the request of a reserved key.
    public func settle(
        _ key: QueueIdempotencyKey, app: String, reservation: QueueReservation, answer: [UInt8]
    ) async throws(QueueError) -> Bool {
        try await writer.write { (transaction) throws(QueueError) in
            try transaction.settle(key, app: app, reservation: reservation, answer: answer)
        }
    }

    /// Gives a reservation up.
    public func release(
        _ key: QueueIdempotencyKey, app: String, reservation: QueueReservation
    ) async throws(QueueError) {
        try await writer.write { (transaction) throws(QueueError) in
            try transaction.release(key, app: app, reservation: reservation)
        }
    }

    /// Leases due jobs to a worker.
    public func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob] {
        try owners.hold(request.owner)
        return try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.claim(request)
        }
    }

    /// Makes leases end a duration from now.
    public func extend(
        _ leases: [QueueJobLease], by duration: Duration
    ) async throws(QueueError) -> [QueueLeaseResult] {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.extend(leases, by: duration)
        }
    }

    /// Gives back jobs that were not started: they wait again.
    public func giveBack(_ leases: [QueueJobLease]) async throws(QueueError) -> [QueueLeaseResult] {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.giveBack(leases)
        }
    }

    /// Notes that jobs are about to be sent.
    public func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult] {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.start(jobs)
        }
    }

    /// Gives jobs their outcome.
    public func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult] {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.complete(completions)
        }
    }

    /// Puts jobs back for another try.
    public func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult] {
        try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.retry(retries)
        }
    }
}
