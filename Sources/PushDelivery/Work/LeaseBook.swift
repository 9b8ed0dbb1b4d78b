internal import PushPlatform
internal import PushQueue

/// The leases of a worker whose jobs have not ended. All jobs of a claim share one lease. A pure value.
struct LeaseBook: Equatable {
    private var claims: [Int64: [UUID: QueueJobLease]] = [:]

    /// The number of jobs.
    var count: Int { claims.values.reduce(0) { $0 + $1.count } }
    /// Whether no job is held.
    var isEmpty: Bool { claims.isEmpty }
    /// The claims that have a job.
    var fences: [Int64] { Array(claims.keys) }

    /// Jobs were claimed.
    mutating func claimed(_ leases: some Sequence<QueueJobLease>) {
        for lease in leases { claims[lease.fence, default: [:]][lease.id] = lease }
    }

    /// A job has ended for this worker.
    mutating func ended(_ lease: QueueJobLease) {
        claims[lease.fence]?[lease.id] = nil
        if claims[lease.fence]?.isEmpty == true { claims[lease.fence] = nil }
    }

    /// One job of a claim, which is enough to extend the lease of all.
    func representative(of fence: Int64) -> QueueJobLease? { claims[fence]?.values.first }

    /// All jobs of a claim.
    func leases(of fence: Int64) -> [QueueJobLease] { claims[fence].map { Array($0.values) } ?? [] }

    /// Whether a job is held.
    func holds(_ lease: QueueJobLease) -> Bool { claims[lease.fence]?[lease.id] != nil }
}
