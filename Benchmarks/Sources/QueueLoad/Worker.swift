import PushQueue

/// Claims, starts and completes jobs in groups: each step is on the disk before the next one of the group begins.
struct Worker {
    private let queue: any QueueBackend
    private let group: Int
    private let isInTurn: Bool

    init(_ queue: any QueueBackend, group: Int, isInTurn: Bool) {
        (self.queue, self.group, self.isInTurn) = (queue, group, isInTurn)
    }

    /// Works on a number of jobs, which wait already.
    func work(_ count: Int) async throws -> Timing {
        try await Timing.of(count) {
            var completing: Task<Void, any Error>?
            var done = 0
            while done < count {
                let jobs = try await started()
                done += jobs.count
                try await completing?.value
                completing = Task { try await complete(jobs) }
                if isInTurn { try await completing?.value }
            }
            try await completing?.value
        }
    }

    private func started() async throws -> [JobLease] {
        let request = ClaimRequest(owner: "bench", limit: group, lease: .seconds(60), apps: ["shop": group])
        let jobs = try await queue.claim(request).map(\.lease)
        guard !jobs.isEmpty, try await queue.start(jobs).allSatisfy({ $0 == .done }) else {
            throw Failure(description: "jobs were not claimed or not started")
        }
        return jobs
    }

    private func complete(_ jobs: [JobLease]) async throws {
        var outcome = JobOutcome.accepted
        outcome.status = 200
        let results = try await queue.complete(jobs.map { JobCompletion($0, outcome) })
        guard results.allSatisfy({ $0 == .done }) else { throw Failure(description: "jobs were not completed") }
    }
}
