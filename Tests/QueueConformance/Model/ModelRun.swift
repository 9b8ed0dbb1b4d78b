import PushPlatform
import PushQueue
import TestSupport

/// A random history of a queue, made from a seed, beside the model. Between any two operations the process may be killed.
package struct ModelRun {
    static let apps = ["bank", "news", "shop"]
    static let tokens = (0..<6).map { NewQueueJob.token($0) }

    let maker: QueueUnderTest
    private var options: QueueOptions
    var queue: any QueueBackend
    var model: QueueModel
    var random: SeededGenerator
    /// Leases from all claims, also from those that were lost.
    private var leases: [QueueJobLease] = []
    private var known: Set<UUID> = []

    package init(_ maker: QueueUnderTest, seed: UInt64) async throws {
        var options = maker.options
        (options.keepKeys, options.buryAfter) = (.seconds(600), 3)
        (self.maker, self.options) = (maker, options)
        queue = try await maker.open(options)
        model = QueueModel(maker.clock, options: options)
        model.living = maker.knowsEndedProcesses ? [] : nil
        random = SeededGenerator(seed: seed)
    }

    package mutating func run(_ count: Int) async throws {
        for _ in 0..<count {
            try await step()
            known.formUnion(model.jobs.keys)
            if random.oneIn(6) { try await model.compare(queue, gone: known) }
            if random.oneIn(12) {
                if random.oneIn(3) { restartMachine() }
                queue = try await maker.reopenAfterKill(queue, options)
                model.living?.removeAll()
                try await model.compare(queue, gone: known)
            }
        }
        try await model.compare(queue, gone: known)
        await queue.close()
    }

    private mutating func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<14: try await enqueue()
        case ..<26: try await campaigns()
        case ..<40: try await claim()
        case ..<50: try await start()
        case ..<62: try await complete()
        case ..<67: try await retry()
        case ..<70: try await work(.giveBack)
        case ..<73: try await work(.extend(.seconds(Int.random(in: 1...60, using: &random))))
        case ..<85: moveClock()
        case ..<90: try await tidy()
        case ..<95: try await operate()
        default: try await remove()
        }
    }

    mutating func begin() { model.begin(maker.clock) }

    private mutating func moveClock() {
        let clock = maker.clock
        switch Int.random(in: 0..<12, using: &random) {
        case ..<6: clock.advance(by: .seconds(Int.random(in: 1...20, using: &random)))
        case ..<8: clock.advance(by: .seconds(Int.random(in: 20...400, using: &random)))
        case 8: clock.advance(by: .seconds(Int.random(in: 400...2000, using: &random)))
        case 9: clock.jump(by: .milliseconds(Int.random(in: -2500...2500, using: &random)))
        case 10: clock.jump(by: .seconds(-Int.random(in: 3...4000, using: &random)))
        default: clock.jump(by: .seconds(Int.random(in: 3...4000, using: &random)))
        }
    }

    /// Starts the machine again. Now and then its wall clock is wrong then.
    private mutating func restartMachine() {
        maker.clock.restart(after: .seconds(Int.random(in: 1...200, using: &random)))
        if random.oneIn(3) { maker.clock.jump(by: .seconds(-Int.random(in: 1...4000, using: &random))) }
        options.boot = maker.clock.boot
    }

    mutating func app() -> String { Self.apps.randomElement(using: &random) ?? "shop" }

    private mutating func ids(_ maximum: Int) -> [UUID] {
        let all = model.jobs.keys.sorted { $0.uuidString < $1.uuidString } + [UUID()]
        return Array(all.shuffled(using: &random).prefix(Int.random(in: 1...maximum, using: &random)))
    }

    // MARK: Operations

    mutating func job() -> NewQueueJob {
        var job = NewQueueJob.sample(
            Int.random(in: 0..<6, using: &random), payload: "payload \(Int.random(in: 0..<3, using: &random))")
        let now = maker.clock.now
        if random.oneIn(3) { job.due = .at(now + .seconds(Int.random(in: -10...60, using: &random))) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: job.expiry = .at(now + .seconds(Int.random(in: 1...120, using: &random)))
        case 1: job.expiry = .after(.seconds(Int.random(in: 1...120, using: &random)))
        default: break
        }
        if random.oneIn(4) { job.dedupeKey = "key \(Int.random(in: 0..<5, using: &random))" }
        if random.oneIn(4) { job.variables = [1, 2, 3] }
        job.priority = QueuePriority.allCases.randomElement(using: &random) ?? .normal
        job.policy = random.oneIn(2) ? .atLeastOnce : .atMostOnce
        return job
    }

    private mutating func enqueue() async throws {
        var jobs: [NewQueueJob] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) { jobs.append(job()) }
        var request = EnqueueRequest(jobs, app: app())
        request.isAtomic = random.oneIn(2)
        if random.oneIn(5) {
            let key = "request \(Int.random(in: 0..<4, using: &random))"
            request.idempotency = QueueIdempotencyKey(key, digest: [UInt8.random(in: 0..<2, using: &random)])
        }
        begin()
        try model.enqueue(request, try await queue.enqueue(request))
    }

    private mutating func claim() async throws {
        var apps: [String: Int] = [:]
        for app in Self.apps where !random.oneIn(3) { apps[app] = Int.random(in: 0...10, using: &random) }
        var request = QueueClaimRequest(
            owner: "worker \(Int.random(in: 1...3, using: &random))", limit: Int.random(in: 1...12, using: &random),
            lease: .seconds(Int.random(in: 5...60, using: &random)), apps: apps)
        request.seeksSuspect = random.oneIn(2)
        begin()
        let claimed = try await queue.claim(request)
        leases += claimed.map(\.lease)
        try model.claim(request, claimed)
    }

    private mutating func someLeases() -> [QueueJobLease] {
        let recent = leases.suffix(30).shuffled(using: &random).prefix(Int.random(in: 1...10, using: &random))
        return Array(recent)
    }

    private mutating func work(_ step: QueueModel.Step) async throws {
        let leases = someLeases()
        begin()
        let results: [QueueLeaseResult] =
            switch step {
            case .giveBack: try await queue.giveBack(leases)
            case .extend(let duration): try await queue.extend(leases, by: duration)
            default: throw Unexpected()
            }
        for (lease, result) in zip(leases, results) { try model.step(step, lease, result) }
    }

    private mutating func start() async throws {
        let starts = someLeases().map { model.start($0) }
        begin()
        try model.start(starts, try await queue.start(starts))
    }

    private mutating func complete() async throws {
        let completions = someLeases().map { QueueJobCompletion($0, outcome()) }
        begin()
        let results = try await queue.complete(completions)
        for (completion, result) in zip(completions, results) {
            try model.step(.complete(completion.outcome), completion.lease, result)
        }
    }

    private mutating func outcome() -> QueueJobOutcome {
        let kind = QueueJobOutcome.Kind.allCases.randomElement(using: &random) ?? .accepted
        var outcome = QueueJobOutcome(kind, reason: kind == .accepted ? nil : "reason")
        if kind == .notSent, random.oneIn(2) { outcome.reason = "buried" }
        if kind == .rejected { (outcome.status, outcome.detail) = (410, "detail") }
        if kind == .rejected, random.oneIn(3) { outcome.goneSince = maker.clock.now }
        if kind == .accepted, random.oneIn(2) { outcome.uniqueID = UUID() }
        return outcome
    }

    private mutating func retry() async throws {
        let retries = someLeases().map { lease in
            let seconds = Int.random(in: 0...60, using: &random)
            let due: QueueJobRetry.Due =
                random.oneIn(2) ? .after(.seconds(seconds)) : .at(maker.clock.now + .seconds(seconds))
            var retry = QueueJobRetry(lease, due: due, reason: "again")
            retry.mayHaveArrived = random.oneIn(2)
            return retry
        }
        begin()
        let results = try await queue.retry(retries)
        for (retry, result) in zip(retries, results) { try model.step(.retry(retry), retry.lease, result) }
    }

    private mutating func tidy() async throws {
        let age = Duration.seconds(Int.random(in: 0...300, using: &random))
        begin()
        switch Int.random(in: 0..<5, using: &random) {
        case 0: try model.expire(try await queue.expireOverdue(limit: 10_000))
        case 1: try model.erase(age, try await queue.settled().erasePayloads(finishedBefore: age, limit: 10_000))
        case 2:
            _ = try await queue.dropKeys(limit: 10_000)
            model.dropKeys()
        default: try model.recover(try await queue.recoverLeases())
        }
    }

    private mutating func operate() async throws {
        let (app, ids) = (app(), ids(5))
        begin()
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let results = try await queue.cancel(ids, app: app)
            try model.stop(ids, app, QueueJobOutcome(.notSent, reason: "cancelled"), results)
        case 1:
            let results = try await queue.bury(ids, app: app, detail: "why")
            try model.stop(ids, app, QueueJobOutcome(.notSent, reason: "buried", detail: "why"), results)
        default:
            let dead = model.jobs.values.filter { $0.app == app && $0.isDeadLetter }.map(\.id)
            let all = Array((dead + ids).prefix(5))
            let results = try await queue.redrive(all, app: app, expiry: .after(.seconds(90)))
            try model.redrive(all, app, .seconds(90), results)
        }
    }

    private mutating func remove() async throws {
        let (app, token) = (app(), Self.tokens.randomElement(using: &random) ?? "")
        begin()
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try model.purge(app: app, try await queue.purge(app: app, limit: 10_000))
        case 1, 2:
            let only = random.oneIn(2) ? app : nil
            try model.purge(token: token, app: only, try await queue.purge(token: token, app: only))
        case 3: try model.cancelAll(app, try await queue.cancelAll(app: app, limit: 10_000))
        case 4...6:
            try model.drop(.seconds(120), try await queue.settled().dropFinished(before: .seconds(120), limit: 10_000))
        default:
            try await queue.recordGone([GoneToken(token, since: maker.clock.now)], app: app)
            model.note(token, maker.clock.now, app)
        }
    }
}
