import PushPlatform
import PushQueue

/// A request to add jobs, with the ids of its jobs. It keeps them, so that a second try after a lost answer finds the jobs of
/// the first one.
///
/// `@unchecked Sendable` is correct: from the call of the writer until the answer, only the thread of the writer uses it.
final class PostgresEnqueue: @unchecked Sendable {
    let request: EnqueueRequest
    /// The id of each job; empty before the first try. Only the thread of the writer uses it.
    var ids: [UUID] = []
    /// The times of each job, from the first try.
    var judged: [EnqueueRules.Judgement] = []

    init(_ request: EnqueueRequest) {
        self.request = request
    }

    /// Whether one invalid job refuses all of them.
    var isRefused: Bool { refusals != nil }
    /// The results if one invalid job refuses all of them, from the first try.
    private(set) var refusals: [EnqueueResult]?

    /// A job that the last try has stored; `nil` if it has stored no job. Another connection reads it to find out whether the try was
    /// committed.
    var commitProof: UUID?
    /// Whether the last try was answered with what an earlier try of this request has stored.
    var hasFoundItself = false

    func prepare(_ cache: PostgresCache, now: QueueTime) {
        guard judged.isEmpty else { return }
        judged = request.jobs.map { EnqueueRules.judge($0, now: now) }
        refusals = EnqueueRules.results(refusing: request, judged)
        let new = cache.newIDs(dues: judged.map(\.due))
        ids = zip(request.jobs, new).map { $0.id ?? $1 ?? UUID(0, 0) }
    }
}

/// Rows of new jobs, for two tables.
struct PostgresNewJobs {
    struct Row {
        var app: Int32
        var id: UUID
        var job: NewQueueJob
        var times: EnqueueRules.Times
        var campaign: Int32?
        var line: Int64 = 0
    }

    var rows: [Row] = []

    static let jobColumns = [
        "app", "id", "is_waiting", "is_held", "state", "priority", "policy", "is_uncertain", "is_due_relative",
        "is_expiry_relative", "attempts", "lost", "fence", "due", "expires", "queued", "started", "campaign", "line",
    ]
    static let contentColumns = [
        "app", "job", "target", "push", "variables", "payload", "shared", "dedupe_key",
    ]
    static let copyJobs = PostgresCopy.statement("job", jobColumns)
    static let copyContent = PostgresCopy.statement("content", contentColumns)

    /// The rows for `job`, in the order of ``jobColumns``.
    func jobs(now: QueueTime) -> PostgresCopy {
        var copy = PostgresCopy(columns: Self.jobColumns.count, rows: rows.count)
        for row in rows {
            let (job, times, isLine) = (row.job, row.times, row.campaign != nil)
            copy.beginRow()
            copy.add(.int4(row.app))
            copy.add(.uuid(row.id))
            copy.add(.bool(!isLine))
            copy.add(.bool(isLine))
            copy.add(.int2(Int16((isLine ? QueueJobState.held : .waiting).rawValue)))
            copy.add(.int2(Int16(job.priority.rawValue)))
            copy.add(.int2(Int16(job.policy.rawValue)))
            copy.add(.bool(false))
            copy.add(.bool(times.isDueRelative))
            copy.add(.bool(times.isExpiryRelative))
            copy.add(.int4(0))
            copy.add(.int4(0))
            copy.add(.int8(0))
            copy.add(.int8(times.due.milliseconds))
            copy.add(.int8(times.expires?.milliseconds ?? QueueJobRecord.never))
            copy.add(.int8(now.milliseconds))
            copy.add(.null)
            copy.add(row.campaign.map { .int4($0) } ?? .null)
            copy.add(isLine ? .int8(row.line) : .null)
        }
        return copy
    }

    /// The rows for `content`, in the order of ``contentColumns``.
    func content(shared: [SharedBody: Int64]) -> PostgresCopy {
        var copy = PostgresCopy(columns: Self.contentColumns.count, rows: rows.count)
        for row in rows {
            let job = row.job
            let payload = shared[SharedBody(app: row.app, body: job.payload)]
            copy.beginRow()
            copy.add(.int4(row.app))
            copy.add(.uuid(row.id))
            copy.add(.bytes(StoredPostgresTarget.bytes(of: job.target)))
            copy.add(.bytes(job.push))
            copy.add(job.variables.map { .bytes($0) } ?? .null)
            copy.add(payload == nil ? .bytes(job.payload) : .null)
            copy.add(payload.map { .int8($0) } ?? .null)
            copy.add(job.dedupeKey.map { .text($0) } ?? .null)
        }
        return copy
    }

    /// A payload that several jobs have.
    struct SharedBody: Hashable {
        var app: Int32
        var body: [UInt8]

        /// Hashes all bytes with one call, which is faster than the hash of an array.
        func hash(into hasher: inout Hasher) {
            hasher.combine(app)
            body.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// A shorter payload is stored with each job: to find a shared one costs more than its bytes.
    static let shortestShared = 200

    /// The payloads that several of the jobs have, and how many.
    var sharedBodies: [SharedBody: Int] {
        var uses: [SharedBody: Int] = [:]
        for row in rows where row.job.payload.count >= Self.shortestShared {
            uses[SharedBody(app: row.app, body: row.job.payload), default: 0] += 1
        }
        return uses.filter { $0.value > 1 }
    }
}
