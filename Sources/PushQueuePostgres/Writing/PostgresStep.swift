import PushPlatform
import PushQueue

/// A step that waits for a writer. Steps of the same kind are done together, each kind in a few statements.
struct PostgresStep: Sendable {
    enum Work: Sendable {
        case enqueue(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)
        case start([QueueJobStart], @Sendable (Result<[QueueLeaseResult], QueueError>) -> Void)
        case complete([QueueJobCompletion], @Sendable (Result<[QueueLeaseResult], QueueError>) -> Void)
        /// Any other step: what it does in a transaction, which returns how to answer, and how to answer with an error.
        case other(
            @Sendable (PostgresTransaction) throws(QueueError) -> @Sendable () -> Void,
            fail: @Sendable (QueueError) -> Void)
    }

    var work: Work
    var grouping = StepGrouping.shared()
    /// How often the step has waited in vain for a lock that another transaction holds.
    var lockTimeouts = 0
    /// The error of the last of these times.
    var lockError: QueueError?
    /// When the step fails if it still waits: for its turn, or for a lock.
    var deadline: ContinuousClock.Instant

    var isAlone: Bool { if case .alone = grouping { true } else { false } }

    fileprivate var isStart: Bool { if case .start = work { true } else { false } }

    /// Whether more than one statement locks its jobs.
    fileprivate var mustLockFirst: Bool {
        if case .complete(let completions, _) = work {
            completions.contains { !$0.outcome.isPlain }
        } else {
            locksJobsItself
        }
    }

    /// Whether it locks jobs, and is neither a start nor a completion.
    fileprivate var locksJobsItself: Bool {
        if case (.other, .shared(let locks)) = (work, grouping) { !locks.jobs.isEmpty } else { false }
    }

    fileprivate var row: StepRow? { if case .row(let row) = grouping { row } else { nil } }

    fileprivate var locks: StepLocks {
        switch (work, grouping) {
        case (.enqueue(let enqueue, _), _): StepLocks(newApp: enqueue.request.app)
        case (.start(let jobs, _), _): StepLocks(jobs.map(\.lease))
        case (.complete(let completions, _), _): StepLocks(completions.map(\.lease))
        case (.other, .shared(let locks)): locks
        case (.other, _): StepLocks()
        }
    }

    func fail(_ error: QueueError) {
        switch work {
        case .enqueue(_, let answer): answer(.failure(error))
        case .start(_, let answer), .complete(_, let answer): answer(.failure(error))
        case .other(_, let fail): fail(error)
        }
    }
}

/// Steps that a writer does in one transaction.
struct PostgresGroup {
    private var enqueues: [(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)] = []
    private var starts: [([QueueJobStart], @Sendable (Result<[QueueLeaseResult], QueueError>) -> Void)] = []
    private var completions: [([QueueJobCompletion], @Sendable (Result<[QueueLeaseResult], QueueError>) -> Void)] =
        []
    private var others: [@Sendable (PostgresTransaction) throws(QueueError) -> @Sendable () -> Void] = []
    private let locks: [StepLocks]
    private let mustLockFirst: Bool

    /// Divides steps into those that share a transaction.
    ///
    /// One statement completes jobs, and another one starts jobs, each in the order of locks. Both in one transaction would need a further
    /// statement that locks the jobs of both before. This took a fifth of the rate, more than a second commit.
    static func divide(_ steps: [PostgresStep]) -> [[PostgresStep]] {
        let together = steps.filter { !$0.isAlone }
        let starts = together.filter(\.isStart)
        let lockers = together.filter(\.locksJobsItself)
        let shared = together.filter { $0.row == nil && !$0.isStart && !$0.locksJobsItself }
        let rows = together.compactMap { step in step.row.map { (row: $0, step: step) } }
        let ordered = rows.sorted { $0.row < $1.row }.map(\.step)
        return [shared, starts, lockers, ordered].filter { !$0.isEmpty } + steps.filter(\.isAlone).map { [$0] }
    }

    init(_ steps: [PostgresStep]) {
        locks = steps.map(\.locks)
        mustLockFirst = steps.contains(where: \.mustLockFirst)
        for step in steps {
            switch step.work {
            case .enqueue(let enqueue, let answer): enqueues.append((enqueue, answer))
            case .start(let jobs, let answer): starts.append((jobs, answer))
            case .complete(let completions, let answer): self.completions.append((completions, answer))
            case .other(let run, _): others.append(run)
            }
        }
    }

    /// A job that the last try of the group has stored; `nil` if it has stored none.
    var commitProof: CommitProof? {
        for (enqueue, _) in enqueues {
            if let id = enqueue.commitProof { return CommitProof(id: id, app: enqueue.request.app) }
        }
        return nil
    }

    /// Whether the last try has found what an earlier try has stored.
    var hasFoundItself: Bool { enqueues.contains { $0.0.hasFoundItself } }

    /// A job of a transaction. Another connection looks for it to find out whether the transaction was committed.
    struct CommitProof: Sendable {
        var id: UUID
        var app: String
    }

    /// Does all steps. Returns how to answer after the commit. A try that would lock jobs out of order fails, and then the group runs again
    /// with `locksFirst`: it locks the jobs of all steps first.
    func run(
        _ transaction: PostgresTransaction, locksFirst: Bool = false
    ) throws(QueueError) -> [@Sendable () -> Void] {
        try transaction.lockFirst(locks, jobs: locksFirst || mustLockFirst)
        var answers: [@Sendable () -> Void] = []
        try merged(completions, &answers) { (all) throws(QueueError) in try transaction.complete(all) }
        try merged(starts, &answers) { (all) throws(QueueError) in try transaction.start(all) }
        for run in others { answers.append(try run(transaction)) }
        for part in parts {
            let results = try transaction.enqueue(part.map(\.0))
            for (item, result) in zip(part, results) { answers.append { item.1(.success(result)) } }
        }
        return answers
    }

    /// The requests in parts in which each key is used once. The first part has all keys, so the others lock no more of them.
    private var parts: [[(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)]] {
        var parts: [[(PostgresEnqueue, @Sendable (Result<EnqueueAnswer, QueueError>) -> Void)]] = []
        var uses: [[String]: Int] = [:]
        for item in enqueues {
            let request = item.0.request
            var part = 0
            if let key = request.idempotency?.key {
                part = uses[[request.app, key], default: 0]
                uses[[request.app, key]] = part + 1
            }
            if part == parts.count { parts.append([]) }
            parts[part].append(item)
        }
        return parts
    }

    private func merged<Item>(
        _ steps: [([Item], @Sendable (Result<[QueueLeaseResult], QueueError>) -> Void)],
        _ answers: inout [@Sendable () -> Void], _ run: ([Item]) throws(QueueError) -> [QueueLeaseResult]
    ) throws(QueueError) {
        guard !steps.isEmpty else { return }
        var results = try run(steps.flatMap(\.0))[...]
        for (items, answer) in steps {
            let own = Array(results.prefix(items.count))
            results = results.dropFirst(items.count)
            answers.append { answer(.success(own)) }
        }
    }
}
