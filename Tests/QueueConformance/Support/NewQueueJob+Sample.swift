package import PushPlatform
package import PushQueue

extension NewQueueJob {
    /// A job with a token of its own for each number.
    package static func sample(_ number: Int = 0, payload: String = #"{"aps":{"alert":"Hello"}}"#) -> NewQueueJob {
        let push = #"{"topic":"com.example.app"}"#
        return NewQueueJob(to: .device(token(number)), payload: Array(payload.utf8), push: Array(push.utf8))
    }

    package static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    package func with(_ change: (inout NewQueueJob) -> Void) -> NewQueueJob {
        var job = self
        change(&job)
        return job
    }
}

extension QueueJobStart {
    /// The start of a job whose push replaces others with the same number.
    package static func sample(_ lease: QueueJobLease, _ number: Int) -> QueueJobStart {
        let key = UUID(77, UInt64(number))
        return QueueJobStart(
            lease, replacement: QueueReplacement(key: key, place: lease.id, longest: .seconds(20)))
    }
}

extension QueueBackend {
    /// Takes valid jobs in, and returns their ids.
    package func add(_ jobs: [NewQueueJob], app: String = "shop") async throws -> [UUID] {
        guard case .done(let results) = try await enqueue(EnqueueRequest(jobs, app: app)) else { return [] }
        return results.compactMap(\.id)
    }

    package func claim(
        _ limit: Int = 100, app: String = "shop", lease: Duration = .seconds(30), owner: String = "worker"
    ) async throws -> [ClaimedQueueJob] {
        try await claim(QueueClaimRequest(owner: owner, limit: limit, lease: lease, apps: [app: limit]))
    }

    package func job(_ id: UUID, app: String = "shop") async throws -> QueueJobRecord? {
        try await jobs([id], app: app).first
    }

    /// Claims and starts jobs.
    package func startAll(app: String = "shop", lease: Duration = .seconds(30)) async throws -> [ClaimedQueueJob] {
        let jobs = try await claim(app: app, lease: lease)
        _ = try await start(jobs.map(\.lease))
        return jobs
    }

    package func complete(_ job: ClaimedQueueJob, _ outcome: QueueJobOutcome) async throws -> QueueLeaseResult? {
        try await complete([QueueJobCompletion(job.lease, outcome)]).first
    }

    /// All jobs of a list, page by page.
    package func list(_ filter: QueueJobQuery.Filter, app: String = "shop", limit: Int = 3) async throws -> [UUID] {
        var (ids, query) = ([UUID](), QueueJobQuery(app: app, filter: filter, limit: limit))
        repeat {
            let page = try await jobs(query)
            ids += page.items.map(\.id)
            query.after = page.next
        } while query.after != nil
        return ids
    }
}

/// An answer was not what it should be.
package struct Unexpected: Error {
    package init() {}
}
