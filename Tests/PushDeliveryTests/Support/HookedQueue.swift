import NIOConcurrencyHelpers
import PushPlatform
import PushQueue

/// A queue that a test can stop or make fail at some steps.
final class HookedQueue: QueueBackend {
    struct Hooks: Sendable {
        /// Runs before each claim.
        var claim: @Sendable (QueueClaimRequest) async throws(QueueError) -> Void = { (_) throws(QueueError) in }
        /// Runs after each claim.
        var claimed: @Sendable ([ClaimedQueueJob]) async -> Void = { _ in }
        var start: @Sendable ([QueueJobStart]) async throws(QueueError) -> Void = { (_) throws(QueueError) in }
        var complete: @Sendable ([QueueJobCompletion]) async throws(QueueError) -> Void = { (_) throws(QueueError) in }
        var advance: @Sendable (UUID) async throws(QueueError) -> Void = { (_) throws(QueueError) in }
        var recover: @Sendable () async -> Void = {}
        var storageLoad: QueueStorageLoad?
        /// Runs with each slice of cleaning, and each other step that is not one of a worker and only forwarded.
        var clean: @Sendable () async -> Void = {}
    }

    private let queue: any QueueBackend
    private let box = NIOLockedValueBox(Hooks())

    init(_ queue: any QueueBackend) {
        self.queue = queue
    }

    var hooks: Hooks {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }

    func perform<Answer: Sendable>(_ step: QueueStep<Answer>) async throws(QueueError) -> Answer {
        if !step.isOfWorker { await hooks.clean() }
        return try await queue.perform(step)
    }
    func query<Answer: Sendable>(
        _ read: @escaping @Sendable (any QueueQueries) throws(QueueError) -> Answer
    ) async throws(QueueError) -> Answer {
        try await queue.query(read)
    }

    func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
        try await queue.enqueue(request)
    }
    func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob] {
        try await hooks.claim(request)
        let jobs = try await queue.claim(request)
        await hooks.claimed(jobs)
        return jobs
    }
    func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult] {
        try await hooks.start(jobs)
        return try await queue.start(jobs)
    }
    func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult] {
        try await hooks.complete(completions)
        return try await queue.complete(completions)
    }
    func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult] {
        try await queue.retry(retries)
    }
    func advanceCampaign(_ campaign: UUID, app: String, ahead: Int, limit: Int) async throws(QueueError) -> Int {
        try await hooks.advance(campaign)
        return try await queue.advanceCampaign(campaign, app: app, ahead: ahead, limit: limit)
    }

    func expireOverdue(limit: Int) async throws(QueueError) -> Int { try await queue.expireOverdue(limit: limit) }
    func recoverLeases() async throws(QueueError) -> QueueLeaseRecovery {
        await hooks.recover()
        return try await queue.recoverLeases()
    }
    func purge(token: String, app: String?) async throws(QueueError) -> Int {
        try await queue.purge(token: token, app: app)
    }
    func purge(app: String, limit: Int) async throws(QueueError) -> Int {
        try await queue.purge(app: app, limit: limit)
    }

    func now() async throws(QueueError) -> QueueTime { try await queue.now() }
    func changes(of kind: QueueChange) -> AsyncStream<Void> { queue.changes(of: kind) }
    func storageLoad() async throws(QueueError) -> QueueStorageLoad? { hooks.storageLoad }
    func checkWriting() async throws(QueueError) { try await queue.checkWriting() }
    func close() async { await queue.close() }
}
