import PushPlatform
import PushQueue

/// A queue in memory, in the simplest way. Where a queue may choose, the model takes its choice and checks whether it was allowed.
struct QueueModel {
    var jobs: [UUID: ModelJob] = [:]
    /// The owners whose process is known to live; `nil` if the backend cannot know.
    var living: Set<String>?
    var leases: [Int64: (owner: String, ends: QueueTime)] = [:]
    var totals: [String: [QueueJobOutcome.Kind: Int]] = [:]
    var apps: Set<String> = []
    var dedupe: [String: [String: (id: UUID, until: QueueTime)]] = [:]
    var requests: [String: [String: (digest: [UInt8], results: [EnqueueResult], until: QueueTime)]] = [:]
    var gone: [String: [String: QueueTime]] = [:]
    var campaigns: [UUID: ModelCampaign] = [:]
    /// For each app and key, the newest push that was started.
    var latest: [String: [UUID: (place: UUID, job: UUID, until: Int64)]] = [:]
    /// For each app, the results that an erasure has passed.
    var erased: [String: Int] = [:]
    var now: QueueTime
    /// The steady clock: it begins with the wall clock, and goes with the uptime. Leases, keys, and requests end by it.
    var steady: QueueTime
    private var watch = Watch()
    var lastFence: Int64 = 0
    var operation = 0

    /// What a queue remembers of the clocks.
    private struct Watch {
        var boot = ""
        /// The steady time at which the uptime was 0.
        var base: Int64 = 0
        var seen: Int64 = 0
        var shift: Int64 = 0
    }

    let keepKeys: Duration
    let buryAfter: Int

    init(_ clock: ManualClock, options: QueueOptions) {
        (now, steady, keepKeys, buryAfter) = (clock.now, clock.now, options.keepKeys, options.buryAfter)
    }

    func require(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw ModelMismatch("operation \(operation): \(what())") }
    }

    /// Begins an operation that writes. The wall clock may have jumped since the one before, or the machine started again.
    mutating func begin(_ clock: ManualClock) {
        operation += 1
        now = clock.now
        let uptime = clock.uptime.wholeMilliseconds
        if clock.boot != watch.boot {
            watch.seen = max(watch.seen, now.milliseconds - watch.shift)
            (watch.boot, watch.base) = (clock.boot, watch.seen - uptime)
        }
        steady = QueueTime(milliseconds: watch.base + uptime)
        let jump = now.milliseconds - steady.milliseconds - watch.shift
        if abs(jump) > 2000 {
            watch.shift += jump
            move(by: .milliseconds(jump))
        }
        if abs(jump) > 2000 || steady.milliseconds - watch.seen >= 1000 { watch.seen = steady.milliseconds }
    }

    private mutating func move(by jump: Duration) {
        let over = min(now, now + (.zero - jump))
        for (id, job) in jobs where job.isOpen && job.state != .held {
            if job.isExpiryRelative, let expires = job.expires, expires > over { jobs[id]?.expires = expires + jump }
            guard job.isDueRelative, job.due > over else { continue }
            let expires = jobs[id]?.expires ?? .latest
            jobs[id]?.due = min(job.due + jump, expires)
        }
    }

    /// When a lease ends by the wall clock.
    func leaseEnds(_ job: ModelJob) -> QueueTime? { leases[job.fence].map { $0.ends + .milliseconds(watch.shift) } }

    // MARK: Taking in

    mutating func enqueue(_ request: EnqueueRequest, _ answer: EnqueueAnswer) throws {
        apps.insert(request.app)
        if let key = request.idempotency, let known = requests[request.app]?[key.key], known.until > steady {
            let expected: EnqueueAnswer = known.digest == key.digest ? .replayed(known.results) : .conflict
            return try require(answer == expected, "enqueue answered \(answer), not \(expected)")
        }
        guard case .done(let results) = answer else { throw ModelMismatch("enqueue answered \(answer)") }
        try require(results.count == request.jobs.count, "\(results.count) results for \(request.jobs.count) jobs")
        let refusesAll = request.isAtomic && request.jobs.contains { isInvalid($0) }
        for (job, result) in zip(request.jobs, results) {
            try refusesAll ? omit(job, result) : take(job, request.app, result)
        }
        if !refusesAll, let key = request.idempotency {
            requests[request.app, default: [:]][key.key] = (key.digest, results, steady + keepKeys)
        }
    }

    private func dueTime(_ job: NewQueueJob) -> (QueueTime, Bool) {
        if case .at(let time) = job.due, time > now { (time, false) } else { (now, true) }
    }

    private func expiryTime(_ job: NewQueueJob) -> QueueTime? {
        switch job.expiry {
        case .never: nil
        case .at(let time): time
        case .after(let duration): dueTime(job).0 + duration
        }
    }

    func isAfter(_ expiry: NewQueueJob.Expiry) -> Bool {
        if case .after = expiry { true } else { false }
    }

    private func isInvalid(_ job: NewQueueJob) -> Bool {
        expiryTime(job).map { $0 <= dueTime(job).0 } ?? false
    }

    private func omit(_ job: NewQueueJob, _ result: EnqueueResult) throws {
        let expected: EnqueueResult = isInvalid(job) ? .invalid(.expiresTooEarly) : .omitted
        try require(result == expected, "a job of a refused request got \(result), not \(expected)")
    }

    private mutating func take(_ job: NewQueueJob, _ app: String, _ result: EnqueueResult) throws {
        if isInvalid(job) { return try omit(job, result) }
        if let key = job.dedupeKey, let holder = dedupe[app]?[key],
            holder.until > steady || jobs[holder.id]?.isOpen ?? false
        {
            return try require(result == .duplicate(holder.id), "a duplicate of \(holder.id) got \(result)")
        }
        guard case .queued(let id) = result else { throw ModelMismatch("a valid job got \(result)") }
        try require(jobs[id] == nil, "the id \(id) was given twice")
        let (due, isRelative) = dueTime(job)
        jobs[id] = ModelJob(
            id: id, app: app, job: job, due: due, isDueRelative: isRelative, expires: expiryTime(job),
            isExpiryRelative: isRelative && isAfter(job.expiry), queued: now)
        if let key = job.dedupeKey { dedupe[app, default: [:]][key] = (id, steady + keepKeys) }
    }

    // MARK: Ending

    mutating func end(_ id: UUID, _ outcome: QueueJobOutcome) {
        guard let job = jobs[id] else { return }
        var outcome = outcome
        if job.isUncertain, outcome.kind == .notSent { outcome.kind = .unknown }
        jobs[id]?.state = .finished
        jobs[id]?.finished = now
        jobs[id]?.endedAt = steady
        jobs[id]?.outcome = outcome
        jobs[id]?.ended = operation
        totals[job.app, default: [:]][outcome.kind, default: 0] += 1
        if let line = job.line { ended(line.number, of: line.campaign, outcome) }
        if let since = outcome.goneSince { note(job.job.target.token, since, job.app) }
    }

    mutating func note(_ token: String, _ since: QueueTime, _ app: String) {
        apps.insert(app)
        if since > gone[app]?[token] ?? QueueTime(milliseconds: -1) { gone[app, default: [:]][token] = since }
    }

    /// A lease without jobs does not exist.
    mutating func dropEmptyLeases() {
        let held = Set(jobs.values.filter { $0.state == .leased || $0.state == .started }.map(\.fence))
        leases = leases.filter { held.contains($0.key) }
    }
}

extension QueueJobTarget {
    var token: String {
        switch self {
        case .device(let token), .channel(let token): token
        }
    }
}
