import PushPlatform
import PushQueue
import QueueConformance
import Testing

@testable import PushQueuePostgres

/// The import of everything that a file can have, and what is done with it afterwards. What fails because the connection broke is done
/// again, as the command and its user do.
struct TransferStory {
    let queues: TransferredQueues
    /// What is said about a failure.
    let about: String

    private static let key = QueueIdempotencyKey("request", digest: [1])

    private func again<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<5 {
            try Task.checkCancellation()
            do { return try await body() } catch let error as QueueError where error.code == .unreachable {}
        }
        return try await body()
    }

    func tell() async throws {
        let (campaign, jobs) = try await fill()
        let target = try await again { try await queues.server(isImport: true) }
        try await transfer(to: target)
        await target.close()
        let queue = try await again { try await queues.server() }
        try await check(queue, campaign, jobs)
        await queue.close()
    }

    /// Fills the file: jobs with and without keys, a campaign in the middle, records, keys and gone tokens.
    private func fill() async throws -> (campaign: UUID, jobs: Set<UUID>) {
        let file = try queues.file()
        let shared = #"{"aps":{"alert":"\#(String(repeating: "x", count: 300))"}}"#
        let jobs: [NewQueueJob] = [
            .sample(0, payload: shared), .sample(1, payload: shared), .sample(2).with { $0.dedupeKey = "order" },
            .sample(3).with { $0.dedupeKey = "done" }, .sample(4).with { $0.expiry = .after(.seconds(100_000)) },
        ]
        let request = EnqueueRequest(jobs, app: "shop", idempotency: Self.key)
        guard case .done(let results) = try await file.enqueue(request) else { throw Unexpected() }
        var left = Set(results.compactMap(\.id))
        if let done = results[3].id {
            _ = try await file.cancel([done], app: "shop")
            left.remove(done)
        }
        // A job with a history and a collapse id.
        let tried = try await file.claim(1)
        let starts = tried.map { job in
            let replacement = QueueReplacement(key: UUID(), place: job.id, longest: .seconds(30))
            return QueueJobStart(job.lease, replacement: replacement)
        }
        _ = try await file.start(starts)
        _ = try await file.retry(tried.map { QueueJobRetry($0.lease, due: .after(.seconds(1)), reason: "busy") })
        _ = try await file.store([1], kind: "kind", key: "key", ifVersion: nil)
        try await file.recordGone([GoneToken(NewQueueJob.token(77), since: queues.fileClock.now)], app: "shop")
        let campaign = try await fillCampaign(file, &left)
        await file.close()
        return (campaign, left)
    }

    private func fillCampaign(_ file: SQLiteQueue, _ left: inout Set<UUID>) async throws -> UUID {
        var new = NewQueueCampaign("Sale", app: "shop")
        new.key = "sale"
        guard case .created(let campaign) = try await file.createCampaign(new) else { throw Unexpected() }
        let refused = QueueCampaignLine(6, .refused(QueueLineRefusal(code: "code", detail: "why")))
        let lines = (1...5).map { QueueCampaignLine($0, .job(.sample(100 + $0))) } + [refused]
        guard case .done(let results) = try await file.addLines(lines, to: campaign.id, app: "shop") else {
            throw Unexpected()
        }
        let ids = results.compactMap { if case .held(let id) = $0 { id } else { nil } }
        _ = try await file.changeCampaign(campaign.id, app: "shop", .start(closes: true))
        _ = try await file.advanceCampaign(campaign.id, app: "shop", ahead: 3, limit: 3)
        let claimed = try await file.claim()
        let line = claimed.filter { ids.contains($0.id) }.prefix(1)
        _ = try await file.start(line.map(\.lease))
        let failure = QueueJobOutcome(.rejected, reason: "BadDeviceToken")
        _ = try await file.complete(line.map { QueueJobCompletion($0.lease, failure) })
        _ = try await file.giveBack(claimed.filter { !line.map(\.id).contains($0.id) }.map(\.lease))
        left.formUnion(Set(ids).subtracting(line.map(\.id)))
        return campaign.id
    }

    private func transfer(to target: PostgresQueue) async throws {
        let id = try await again { try await QueueIdentity.of(target) }
        let (export, batches) = try await queues.export(batchSize: 3, to: id)
        var progress = try await again { try await target.beginImport(export.id).progress }
        for batch in batches {
            progress = try await again { try await target.take(batch) }
            #expect(progress.lines == batch.end, "\(about)")
        }
        let done = progress
        try await again { try await target.endImport(done) }
        #expect(try await again { try await target.beginImport(export.id).isDone }, "\(about)")
        #expect(try await again { try await target.seal() } == nil, "\(about)")
    }

    /// Everything is there once, and is sent once.
    private func check(_ target: PostgresQueue, _ campaign: UUID, _ jobs: Set<UUID>) async throws {
        #expect(try await again { try await target.record(kind: "kind", key: "key")?.value } == [1])
        #expect(try await again { try await target.gone(among: [NewQueueJob.token(77)], app: "shop").count } == 1)
        let double = EnqueueRequest([NewQueueJob.sample(9).with { $0.dedupeKey = "order" }], app: "shop")
        guard case .done(let results) = try await again({ try await target.enqueue(double) }) else {
            throw Unexpected()
        }
        #expect(results.first?.id.map { jobs.contains($0) } == true, "\(about): \(results)")
        var new = NewQueueCampaign("Sale", app: "shop")
        new.key = "sale"
        guard case .existing(let found) = try await again({ try await target.createCampaign(new) }) else {
            throw Unexpected()
        }
        #expect(found.id == campaign && found.counts.rejected == 1 && found.counts.refused == 1, "\(about)")
        let lines = QueueCampaignLineQuery(campaign, app: "shop", onlyFailures: true)
        #expect(try await again { try await target.lines(lines).count } == 2)
        for _ in 0..<10 {
            queues.serverClock.advance(by: .seconds(100))
            _ = try await again { try await target.recoverLeases() }
            _ = try await again { try await target.advanceCampaign(campaign, app: "shop", ahead: 99, limit: 99) }
            let claimed = try await again { try await target.claim() }
            let started = try await again { try await target.start(claimed.map(\.lease)) }
            let mine = zip(claimed, started).filter { $0.1 == .done }.map {
                QueueJobCompletion($0.0.lease, .accepted)
            }
            _ = try await again { try await target.complete(mine) }
            if try await again({ try await target.counts()["shop"]?.unfinished }) == 0 { break }
        }
        let records = try await again { try await target.jobs(Array(jobs), app: "shop") }
        #expect(Set(records.map(\.id)) == jobs && records.count == jobs.count, "\(about)")
        #expect(records.allSatisfy { $0.state == .finished }, "\(about)")
        let counts = try #require(try await again { try await target.counts()["shop"] })
        // The line that failed in the file stays there.
        #expect(counts.accepted + counts.unknown == jobs.count, "\(about): \(counts)")
    }
}
