import NIOConcurrencyHelpers
import PushPlatform
import PushQueue

/// A queue that a test can stop or make fail at some steps.
final class HookedQueue: QueueBackend {
    struct Hooks: Sendable {
        /// Runs after each claim.
        var claimed: @Sendable ([ClaimedQueueJob]) async -> Void = { _ in }
        var start: @Sendable () async throws(QueueError) -> Void = { () throws(QueueError) in }
        var complete: @Sendable ([QueueJobCompletion]) async throws(QueueError) -> Void = { (_) throws(QueueError) in }
        var advance: @Sendable (UUID) async throws(QueueError) -> Void = { (_) throws(QueueError) in }
        var recover: @Sendable () async -> Void = {}
        /// Runs before a record is stored.
        var store: @Sendable () async -> Void = {}
        var storageLoad: QueueStorageLoad?
        /// Runs with each slice of cleaning.
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

    func now() async throws(QueueError) -> QueueTime { try await queue.now() }
    func storageLoad() async throws(QueueError) -> QueueStorageLoad? { hooks.storageLoad }
    func enqueue(_ request: EnqueueRequest) async throws(QueueError) -> EnqueueAnswer {
        try await queue.enqueue(request)
    }
    func reserve(_ key: QueueIdempotencyKey, app: String, lasting: Duration) async throws(QueueError)
        -> QueueReservationAnswer
    {
        try await queue.reserve(key, app: app, lasting: lasting)
    }
    func settle(
        _ key: QueueIdempotencyKey, app: String, reservation: QueueReservation, answer: [UInt8]
    ) async throws(QueueError) -> Bool {
        try await queue.settle(key, app: app, reservation: reservation, answer: answer)
    }
    func release(_ key: QueueIdempotencyKey, app: String, reservation: QueueReservation) async throws(QueueError) {
        try await queue.release(key, app: app, reservation: reservation)
    }

    func createCampaign(_ campaign: NewQueueCampaign) async throws(QueueError) -> QueueCampaignCreation {
        try await queue.createCampaign(campaign)
    }
    func addLines(_ lines: [QueueCampaignLine], to campaign: UUID, app: String) async throws(QueueError)
        -> QueueLinesAnswer
    {
        try await queue.addLines(lines, to: campaign, app: app)
    }
    func changeCampaign(
        _ campaign: UUID, app: String, _ change: QueueCampaignChange
    ) async throws(QueueError) -> QueueCampaignAnswer {
        try await queue.changeCampaign(campaign, app: app, change)
    }
    func advanceCampaign(_ campaign: UUID, app: String, ahead: Int, limit: Int) async throws(QueueError) -> Int {
        try await hooks.advance(campaign)
        return try await queue.advanceCampaign(campaign, app: app, ahead: ahead, limit: limit)
    }
    func activeCampaigns() async throws(QueueError) -> [QueueCampaign] { try await queue.activeCampaigns() }
    func campaign(_ campaign: UUID, app: String) async throws(QueueError) -> QueueCampaign? {
        try await queue.campaign(campaign, app: app)
    }
    func campaigns(app: String, after cursor: String?, limit: Int) async throws(QueueError) -> QueuePage<QueueCampaign>
    {
        try await queue.campaigns(app: app, after: cursor, limit: limit)
    }
    func outcomes(ofCampaign campaign: UUID, app: String) async throws(QueueError) -> [QueueCampaignOutcome] {
        try await queue.outcomes(ofCampaign: campaign, app: app)
    }
    func lines(_ query: QueueCampaignLineQuery) async throws(QueueError) -> [QueueCampaignLineRecord] {
        try await queue.lines(query)
    }
    func dropCampaigns(endedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int {
        await hooks.clean()
        return try await queue.dropCampaigns(endedBefore: duration, limit: limit)
    }

    func claim(_ request: QueueClaimRequest) async throws(QueueError) -> [ClaimedQueueJob] {
        let jobs = try await queue.claim(request)
        await hooks.claimed(jobs)
        return jobs
    }
    func extend(_ leases: [QueueJobLease], by duration: Duration) async throws(QueueError) -> [QueueLeaseResult] {
        try await queue.extend(leases, by: duration)
    }
    func giveBack(_ leases: [QueueJobLease]) async throws(QueueError) -> [QueueLeaseResult] {
        try await queue.giveBack(leases)
    }
    func start(_ jobs: [QueueJobStart]) async throws(QueueError) -> [QueueLeaseResult] {
        try await hooks.start()
        return try await queue.start(jobs)
    }
    func complete(_ completions: [QueueJobCompletion]) async throws(QueueError) -> [QueueLeaseResult] {
        try await hooks.complete(completions)
        return try await queue.complete(completions)
    }
    func retry(_ retries: [QueueJobRetry]) async throws(QueueError) -> [QueueLeaseResult] {
        try await queue.retry(retries)
    }

    func cancel(_ ids: [UUID], app: String) async throws(QueueError) -> [QueueStopResult] {
        try await queue.cancel(ids, app: app)
    }
    func cancelAll(app: String, limit: Int) async throws(QueueError) -> Int {
        try await queue.cancelAll(app: app, limit: limit)
    }
    func bury(_ ids: [UUID], app: String, detail: String) async throws(QueueError) -> [QueueStopResult] {
        try await queue.bury(ids, app: app, detail: detail)
    }
    func redrive(_ ids: [UUID], app: String, expiry: NewQueueJob.Expiry) async throws(QueueError)
        -> [QueueRedriveResult]
    {
        try await queue.redrive(ids, app: app, expiry: expiry)
    }

    func counts() async throws(QueueError) -> [String: QueueCounts] { try await queue.counts() }
    func jobs(_ ids: [UUID], app: String) async throws(QueueError) -> [QueueJobRecord] {
        try await queue.jobs(ids, app: app)
    }
    func jobs(_ query: QueueJobQuery) async throws(QueueError) -> QueuePage<QueueJobRecord> {
        try await queue.jobs(query)
    }
    func history(of id: UUID, app: String) async throws(QueueError) -> [QueueJobEvent]? {
        try await queue.history(of: id, app: app)
    }
    func results(of apps: [String], after cursor: QueueResultCursor, limit: Int) async throws(QueueError)
        -> QueueResultPage
    {
        try await queue.results(of: apps, after: cursor, limit: limit)
    }
    func resultsEnd() async throws(QueueError) -> QueueResultCursor { try await queue.resultsEnd() }

    func nextDue(of apps: [String]) async throws(QueueError) -> QueueTime? { try await queue.nextDue(of: apps) }
    func changes(of kind: QueueChange) -> AsyncStream<Void> { queue.changes(of: kind) }

    func expireOverdue(limit: Int) async throws(QueueError) -> Int { try await queue.expireOverdue(limit: limit) }
    func recoverLeases() async throws(QueueError) -> QueueLeaseRecovery {
        await hooks.recover()
        return try await queue.recoverLeases()
    }
    func erasePayloads(finishedBefore duration: Duration, limit: Int) async throws(QueueError) -> Int {
        await hooks.clean()
        return try await queue.erasePayloads(finishedBefore: duration, limit: limit)
    }
    func dropFinished(before duration: Duration, limit: Int) async throws(QueueError) -> Int {
        await hooks.clean()
        return try await queue.dropFinished(before: duration, limit: limit)
    }
    func dropKeys(limit: Int) async throws(QueueError) -> Int {
        await hooks.clean()
        return try await queue.dropKeys(limit: limit)
    }
    func purge(token: String, app: String?) async throws(QueueError) -> Int {
        try await queue.purge(token: token, app: app)
    }
    func purge(app: String, limit: Int) async throws(QueueError) -> Int {
        try await queue.purge(app: app, limit: limit)
    }

    func recordGone(_ tokens: [GoneToken], app: String) async throws(QueueError) {
        try await queue.recordGone(tokens, app: app)
    }
    func gone(among tokens: [String], app: String) async throws(QueueError) -> [GoneToken] {
        try await queue.gone(among: tokens, app: app)
    }
    func gone(app: String, after cursor: String?, limit: Int) async throws(QueueError) -> QueuePage<GoneToken> {
        try await queue.gone(app: app, after: cursor, limit: limit)
    }
    func forgetGone(_ tokens: [String], app: String) async throws(QueueError) {
        try await queue.forgetGone(tokens, app: app)
    }

    func store(
        _ value: [UInt8], kind: String, key: String, ifVersion version: Int64?
    ) async throws(QueueError) -> Int64? {
        await hooks.store()
        return try await queue.store(value, kind: kind, key: key, ifVersion: version)
    }
    func record(kind: String, key: String) async throws(QueueError) -> QueueServiceRecord? {
        try await queue.record(kind: kind, key: key)
    }
    func records(kind: String, after key: String?, limit: Int) async throws(QueueError) -> [QueueServiceRecord] {
        try await queue.records(kind: kind, after: key, limit: limit)
    }
    func removeRecord(kind: String, key: String, ifVersion version: Int64?) async throws(QueueError) -> Bool {
        try await queue.removeRecord(kind: kind, key: key, ifVersion: version)
    }

    func checkWriting() async throws(QueueError) { try await queue.checkWriting() }
    func close() async { await queue.close() }
}
