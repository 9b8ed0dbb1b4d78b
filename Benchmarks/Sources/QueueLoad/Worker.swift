import PushQueue

/// Claims, starts and completes jobs in groups: each step is on the disk before the next one of the group begins.
struct Worker {
    private let queue: any JobQueue
    private let group: Int
    private let isInTurn: Bool

    init(_ queue: any JobQueue, group: Int, isInTurn: Bool) {
        (self.queue, self.group, self.isInTurn) = (queue, group, isInTurn)
    }

    /// Works on a number of jobs, which wait already.
    func work(_ count: Int) async throws -> Timing {
        try await Timing.of(count) {
            guard try await work(until: count) >= count else { throw Failure(description: "too few jobs were claimed") }
        }
    }

    /// Works until no job waits. The number of jobs in the result is that of this process.
    func drain() async throws -> Timing {
        var done = 0
        var timing = try await Timing.of(0) { done = try await work(until: .max) }
        timing.count = done
        return timing
    }

    /// Works until a number of jobs is done, or until no job waits. Returns the number.
    private func work(until count: Int) async throws -> Int {
        var completing: Task<Void, any Error>?
        var done = 0
        while done < count, case let jobs = try await started(), !jobs.isEmpty {
            done += jobs.count
            try await completing?.value
            completing = Task { try await complete(jobs) }
            if isInTurn { try await completing?.value }
        }
        try await completing?.value
        return done
    }

    private func started() async throws -> [QueueJobLease] {
        let request = QueueClaimRequest(owner: "bench", limit: group, lease: .seconds(60), apps: ["shop": group])
        let jobs = try await queue.claim(request).map(\.lease)
        guard !jobs.isEmpty else { return [] }
        guard try await queue.start(jobs).allSatisfy({ $0 == .done }) else {
            throw Failure(description: "jobs were not started")
        }
        return jobs
    }

    private func complete(_ jobs: [QueueJobLease]) async throws {
        var outcome = QueueJobOutcome.accepted
        outcome.status = 200
        let results = try await queue.complete(jobs.map { QueueJobCompletion($0, outcome) })
        guard results.allSatisfy({ $0 == .done }) else { throw Failure(description: "jobs were not completed") }
    }
}
