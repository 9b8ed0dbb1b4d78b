// Documented at JobQueue and QueueBackend. Each step is in the folder Steps, and each query in the folder Queries.
extension SQLiteQueue {
    package func perform<Answer: Sendable>(_ step: QueueStep<Answer>) async throws(QueueError) -> Answer {
        try await writer.write(jobs: step.jobs, isOfWorker: step.isOfWorker) { (transaction) throws(QueueError) in
            try step.run(transaction)
        }
    }

    package func query<Answer: Sendable>(
        _ read: @escaping @Sendable (any QueueQueries) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await self.read { (queries) throws(QueueError) in try read(queries) }
    }

    /// Adds jobs to the queue.
    public func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
        try await writer.write(jobs: request.jobs.count) { (transaction) throws(QueueError) in
            try transaction.enqueue(request)
        }
    }

    /// Leases due jobs to a worker.
    public func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob] {
        try owners.hold(request.owner)
        return try await writer.write(isOfWorker: true) { (transaction) throws(QueueError) in
            try transaction.claim(request)
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
}
