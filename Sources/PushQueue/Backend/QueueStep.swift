/// A step that changes a queue: what it does in a transaction, and what a backend has to know before it begins.
package struct QueueStep<Answer: Sendable>: Sendable {
    /// Which other steps can share its transaction.
    package var grouping: StepGrouping
    /// The number of jobs that it adds.
    package var jobs: Int
    /// Whether it is a step of a worker, which goes before others.
    package var isOfWorker: Bool
    /// Does it. It can run several times, so it must change nothing but the transaction.
    package let run: @Sendable (any QueueSteps) throws(QueueError) -> Answer
}

extension QueueBackend {
    /// Runs a step of a worker.
    func work<Answer: Sendable>(
        _ grouping: StepGrouping, _ run: @escaping @Sendable (any QueueSteps) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await perform(QueueStep(grouping: grouping, jobs: 0, isOfWorker: true, run: run))
    }

    /// Runs a step of somebody else.
    func change<Answer: Sendable>(
        _ grouping: StepGrouping = .alone, jobs: Int = 0,
        _ run: @escaping @Sendable (any QueueSteps) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await perform(QueueStep(grouping: grouping, jobs: jobs, isOfWorker: false, run: run))
    }
}
