internal import NIOConcurrencyHelpers
public import PushQueue

// Documented at JobQueue and QueueBackend. Each step is in the folder Steps, and each query in the folder Queries.
extension PostgresQueue {
    package func perform<Answer: Sendable>(_ step: QueueStep<Answer>) async throws(QueueError) -> Answer {
        let writer = step.isOfWorker ? workWriter : intakeWriter
        return try await writer.write(jobs: step.jobs, isOfWorker: step.isOfWorker, step.grouping) {
            (transaction) throws(QueueError) in
            try step.run(transaction)
        }
    }

    package func query<Answer: Sendable>(
        _ read: @escaping @Sendable (any QueueQueries) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await self.read { (queries) throws(QueueError) in try read(queries) }
    }

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

    /// Puts jobs back for another try.
    public func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult] {
        try await putBack(retries)
    }

    /// Takes jobs from workers whose lease has ended, one lease in each transaction.
    public func recoverLeases() async throws(QueueError) -> QueueLeaseRecovery { try await recoverEndedLeases() }
}
