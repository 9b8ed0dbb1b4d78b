import Foundation
import NIOConcurrencyHelpers
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The export of a queue in a file, and its import into PostgreSQL.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct TransferTests {
    private let queues: TransferredQueues

    init() throws {
        queues = try TransferredQueues()
    }

    // MARK: Everything

    @Test func `a job is the same after the import, with its history`() async throws {
        let file = try queues.file()
        let now = queues.fileClock.now
        var jobs = (0..<20).map { NewQueueJob.sample($0, payload: String(repeating: "long ", count: 60)) }
        jobs[1].due = .at(now + .seconds(3600))
        jobs[2].expiry = .after(.seconds(500))
        jobs[3].expiry = .at(now + .seconds(900))
        (jobs[4].priority, jobs[5].priority) = (.high, .low)
        jobs[6].policy = .atLeastOnce
        jobs[7].variables = Array(#"{"name":"A"}"#.utf8)
        jobs[8].target = .channel("c2hvcA==")
        jobs[9].target = .device("not in hex")
        jobs[10].dedupeKey = "order 10"
        jobs[11].push = []
        let ids = try await file.add(jobs)
        let news = try await file.add([.sample(100)], app: "news")
        // One is tried again, one waits after a lost worker, one was sent before.
        let tried = try await file.claim()
        #expect(tried.count == 19)
        _ = try await file.start(tried[0...1].map(\.lease))
        _ = try await file.retry([
            QueueJobRetry(tried[0].lease, due: .after(.seconds(60)), reason: "TooManyRequests")
        ])
        _ = try await file.complete(tried[1], .accepted)
        _ = try await file.giveBack(tried[2...].map(\.lease))
        await file.close()

        let before = try queues.file()
        _ = try await before.recoverLeases()
        let expected = try await before.jobs(ids, app: "shop").filter { $0.state != .finished }
        var histories: [UUID: [QueueJobEvent]] = [:]
        for job in expected { histories[job.id] = try await before.history(of: job.id, app: "shop") }
        await before.close()
        #expect(!expected.isEmpty)

        #expect(try await queues.transfer(batchSize: 7))
        let after = try await queues.server()
        let found = try await after.jobs(expected.map(\.id), app: "shop")
        #expect(found.count == expected.count)
        for job in expected {
            #expect(found.first { $0.id == job.id } == job)
            #expect(try await after.history(of: job.id, app: "shop") == histories[job.id])
        }
        #expect(try await after.job(news[0], app: "news")?.state == .waiting)
        let counts = try await after.counts()
        #expect(counts["shop"]?.waiting == expected.count)
        #expect(counts["news"]?.waiting == 1)
        // The contents, as a worker gets them.
        queues.serverClock.advance(by: .seconds(3700))
        let claimed = try await after.claim()
        #expect(claimed.first { $0.id == ids[7] }?.variables == jobs[7].variables)
        for job in claimed { #expect(job.payload == jobs[0].payload) }
        await after.close()
    }

    @Test func `keys still answer after the import, for as long as they would have`() async throws {
        let file = try queues.file()
        let key = QueueIdempotencyKey("request", digest: [1, 2, 3])
        let first = try await file.enqueue(EnqueueRequest([.sample(1)], app: "shop", idempotency: key))
        let dedupe = try await file.add([NewQueueJob.sample(2).with { $0.dedupeKey = "order" }])
        await file.close()
        queues.fileClock.advance(by: .seconds(23 * 3600))
        #expect(try await queues.transfer())

        let server = try await queues.server()
        let again = try await server.enqueue(EnqueueRequest([.sample(1)], app: "shop", idempotency: key))
        guard case .done(let results) = first else { throw Unexpected() }
        #expect(again == .replayed(results))
        let double = NewQueueJob.sample(3).with { $0.dedupeKey = "order" }
        #expect(try await server.enqueue(EnqueueRequest([double], app: "shop")) == .done([.duplicate(dedupe[0])]))
        // The day of the keys ends in an hour. The dedupe key holds on, as its job waits.
        queues.serverClock.advance(by: .seconds(3601))
        #expect(try await server.reserve(key, app: "shop", lasting: .seconds(60)).isReserved)
        #expect(try await server.enqueue(EnqueueRequest([double], app: "shop")) == .done([.duplicate(dedupe[0])]))
        await server.close()
    }

    @Test func `a dedupe key whose day is over holds as long as its job waits`() async throws {
        let file = try queues.file()
        let job = NewQueueJob.sample(1).with {
            $0.dedupeKey = "order"
            $0.due = .at(queues.fileClock.now + .seconds(72 * 3600))
        }
        let ids = try await file.add([job])
        await file.close()
        queues.fileClock.advance(by: .seconds(48 * 3600))
        queues.serverClock.advance(by: .seconds(48 * 3600))
        #expect(try await queues.transfer())
        let server = try await queues.server()
        let double = NewQueueJob.sample(2).with { $0.dedupeKey = "order" }
        #expect(try await server.enqueue(EnqueueRequest([double], app: "shop")) == .done([.duplicate(ids[0])]))
        await server.close()
    }

    @Test func `a push that a newer one replaced is not sent after the import, and a newer one is`()
        async throws
    {
        let file = try queues.file()
        let ids = try await file.add([.sample(1), .sample(2), .sample(3)])
        let key = UUID()
        func start(_ job: ClaimedQueueJob, at queue: any JobQueue) async throws -> [QueueLeaseResult] {
            let replacement = QueueReplacement(key: key, place: job.id, longest: .seconds(30))
            return try await queue.start([QueueJobStart(job.lease, replacement: replacement)])
        }
        let jobs = try await file.claim(3)
        let newer = try #require(jobs.first { $0.id == ids[1] })
        #expect(try await start(newer, at: file) == [.done])
        _ = try await file.complete(newer, .accepted)
        _ = try await file.giveBack(jobs.filter { $0.id != newer.id }.map(\.lease))
        await file.close()
        #expect(try await queues.transfer())

        let server = try await queues.server()
        let claimed = try await server.claim()
        for job in claimed { #expect(try await start(job, at: server) == [job.id == ids[0] ? .superseded : .done]) }
        #expect(claimed.count == 2)
        await server.close()
    }

    @Test func `records and gone tokens are imported, and what the target has is kept`() async throws {
        let file = try queues.file()
        _ = try await file.store([1], kind: "api_key", key: "a", ifVersion: nil)
        _ = try await file.store([2], kind: "api_key", key: "b", ifVersion: nil)
        _ = try await file.store([3], kind: "webhook_cursor", key: "shop", ifVersion: nil)
        let now = queues.fileClock.now
        let token = NewQueueJob.token(7)
        try await file.recordGone([GoneToken(token, since: now)], app: "shop")
        await file.close()
        let before = try await queues.server()
        _ = try await before.store([9], kind: "api_key", key: "b", ifVersion: nil)
        await before.close()
        #expect(try await queues.transfer(batchSize: 1))
        let server = try await queues.server()
        #expect(try await server.record(kind: "api_key", key: "a")?.value == [1])
        #expect(try await server.record(kind: "api_key", key: "b")?.value == [9])
        #expect(try await server.record(kind: "webhook_cursor", key: "shop") == nil)
        #expect(try await server.gone(among: [token], app: "shop").map(\.since) == [now])
        await server.close()
    }

    // MARK: Campaigns

    /// A campaign with lines that were sent, refused, released and held.
    private func makeCampaign() async throws -> (before: QueueCampaign, ids: [UUID]) {
        let file = try queues.file()
        var new = NewQueueCampaign("Spring", app: "shop", settings: [1, 2])
        new.key = "spring"
        guard case .created(let campaign) = try await file.createCampaign(new) else { throw Unexpected() }
        let lines = (1...30).map { QueueCampaignLine($0, .job(.sample($0))) }
        let refused = QueueCampaignLine(
            31, .refused(QueueLineRefusal(code: "bad", detail: "It is bad.", field: "/x")))
        guard case .done(let results) = try await file.addLines(lines + [refused], to: campaign.id, app: "shop")
        else { throw Unexpected() }
        _ = try await file.changeCampaign(campaign.id, app: "shop", .start(closes: true))
        _ = try await file.advanceCampaign(campaign.id, app: "shop", ahead: 10, limit: 10)
        let sent = try await file.claim(4)
        _ = try await file.start(sent.map(\.lease))
        _ = try await file.complete(sent[0], .accepted)
        _ = try await file.complete(sent[1], .accepted)
        _ = try await file.complete(sent[2], QueueJobOutcome(.rejected, reason: "Unregistered"))
        _ = try await file.complete(sent[3], QueueJobOutcome(.rejected, reason: "BadDeviceToken"))
        let before = try #require(try await file.campaign(campaign.id, app: "shop"))
        await file.close()
        let ids = results.compactMap { if case .held(let id) = $0 { id } else { nil } }
        return (before, ids)
    }

    @Test func `a campaign whose key the target has comes without it, and that is counted`() async throws {
        let (before, _) = try await makeCampaign()
        let target = try await queues.server()
        var new = NewQueueCampaign("Another", app: "shop", settings: [])
        new.key = "spring"
        guard case .created(let other) = try await target.createCampaign(new) else { throw Unexpected() }
        await target.close()
        #expect(try await queues.transfer())
        let server = try await queues.server()
        guard case .existing(let found) = try await server.createCampaign(new) else { throw Unexpected() }
        #expect(found.id == other.id)
        #expect(try await server.campaign(before.id, app: "shop") != nil)
        let done = try await server.records(kind: QueueImport.kindOfDone, after: nil, limit: 10)
        #expect(done.compactMap { QueueImport(done: $0.value)?.present } == [1])
        await server.close()
    }

    @Test func `a campaign goes on where it was, and ends`() async throws {
        let (before, ids) = try await makeCampaign()
        #expect(try await queues.transfer(batchSize: 3))
        let server = try await queues.server()
        var after = try #require(try await server.campaign(before.id, app: "shop"))
        after.speed = before.speed
        #expect(after == before)
        let outcomes = try await server.outcomes(ofCampaign: before.id, app: "shop")
        #expect(Set(outcomes.map(\.reason)) == [nil, "Unregistered", "BadDeviceToken"])
        let lines = try await server.lines(QueueCampaignLineQuery(before.id, app: "shop"))
        #expect(lines.map(\.number) == Array(1...31))
        #expect(lines.filter { $0.content == .dropped }.count == 4)
        let failures = try await server.lines(QueueCampaignLineQuery(before.id, app: "shop", onlyFailures: true))
        #expect(failures.count == 3)
        // An upload that is repeated takes no line twice, and the key makes no second campaign.
        var new = NewQueueCampaign("Spring", app: "shop", settings: [1, 2])
        new.key = "spring"
        guard case .existing(let same) = try await server.createCampaign(new) else { throw Unexpected() }
        #expect(same.id == before.id)

        var sent: [UUID] = []
        while true {
            _ = try await server.advanceCampaign(before.id, app: "shop", ahead: 100, limit: 100)
            let jobs = try await server.startAll()
            if jobs.isEmpty { break }
            sent += jobs.map(\.id)
            for job in jobs { _ = try await server.complete(job, .accepted) }
        }
        #expect(sent.count == 26)
        #expect(Set(sent).isSubset(of: ids))
        let ended = try #require(try await server.campaign(before.id, app: "shop"))
        #expect(ended.state == .finished)
        #expect(ended.counts.accepted == 28)
        #expect(ended.counts.unfinished == 0)
        await server.close()
    }

    // MARK: Once

    @Test func `an import that is killed after any batch goes on, and each job is there once`() async throws {
        let file = try queues.file()
        let ids = try await file.add((0..<40).map { .sample($0) }) + file.add([.sample(1)], app: "news")
        await file.close()
        let worker = try await queues.server()
        var runs = 0
        while runs < 14, try await !queues.transfer(steps: runs % 2 + 1, batchSize: 3) {
            runs += 1
            // Until everything is there, nothing is sent or taken in.
            await #expect { _ = try await worker.claim() } throws: { ($0 as? QueueError)?.code == .sealed }
            await #expect { _ = try await worker.add([.sample(1)]) } throws: {
                ($0 as? QueueError)?.code == .sealed && "\($0)".contains("until an import into it is complete")
            }
        }
        #expect(try await queues.transfer(batchSize: 3))
        // Once more changes nothing.
        #expect(try await queues.transfer(batchSize: 3))
        #expect(try await worker.seal() == nil)
        let shop = try await worker.jobs(ids, app: "shop")
        #expect(Set(shop.map(\.id)).count == 40 && shop.count == 40)
        #expect(try await worker.jobs(ids, app: "news").count == 1)
        #expect(try await worker.counts()["shop"]?.waiting == 40)
        #expect(try await worker.startAll().count == 40)
        await worker.close()
    }

    @Test(arguments: [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer])
    func `a batch is taken in once, whenever the answer to its commit is lost`(
        moment: CuttingProxy.Moment
    ) async throws {
        let file = try queues.file()
        _ = try await file.add((0..<5).map { .sample($0) })
        await file.close()
        let server = try await queues.server(isImport: true)
        let (export, batches) = try await queues.export(to: QueueIdentity.of(server))
        _ = try await server.beginImport(export.id)
        for batch in batches where batch.part != .job && batch.part != .event { _ = try await server.take(batch) }
        let batch = try #require(batches.first { $0.part == .job })
        let port = try #require(try PostgresServer.shared()).port
        let proxy = try CuttingProxy(to: port, word: "COMMIT", cuts: moment)
        let through = try #require(try PostgresServer.shared()).address(schema: queues.address.schema).replacing(
            ":\(port)", with: ":\(proxy.port),127.0.0.1:\(port)")
        var options = queues.serverOptions
        options.isImport = true
        let writer = PostgresWriter(name: "cut", try PostgresAddress(through), options) { _ in }
        await #expect {
            _ = try await writer.write { (transaction) throws(QueueError) in try transaction.take(batch) }
        } throws: {
            ($0 as? QueueError)?.code == .unreachable
        }
        for _ in 1...2 {
            let now = try await writer.write { (transaction) throws(QueueError) in try transaction.take(batch) }
            #expect(now.lines == batch.end)
        }
        // Also if the answer is lost, the end is noted once.
        for _ in 1...2 {
            let entry = QueueAuditEntry(app: "", content: [1])
            try await server.endImport(QueueImport(of: export.id, lines: batch.end), audit: entry)
        }
        #expect(try await server.audit(of: nil, before: nil, limit: 9).count == 1)
        #expect(try await server.counts()["shop"]?.waiting == 5)
        #expect(try await server.claim().count == 5)
        _ = await writer.close()
        await server.close()
    }

    // MARK: Refusals

    @Test func `while another import is not complete, none begins`() async throws {
        let file = try queues.file()
        _ = try await file.add([.sample(1)])
        await file.close()
        #expect(try await !queues.transfer(steps: 0))
        let server = try await queues.server(isImport: true)
        await #expect { _ = try await server.beginImport(UUID()) } throws: {
            ($0 as? QueueError)?.code == .sealed && "\($0)".contains("run pushserve queue import again")
        }
        await server.close()
    }

    @Test func `jobs that workers of the target are sending stop the import, and nothing is sealed`() async throws {
        let worker = try await queues.server()
        _ = try await worker.add([.sample(1)])
        let claimed = try await worker.startAll()
        let server = try await queues.server(isImport: true)
        let export = UUID()
        await #expect { _ = try await server.beginImport(export) } throws: {
            ($0 as? QueueError)?.code == .busy && "\($0)".contains("are still sending 1 job")
        }
        _ = try await worker.complete(claimed[0], .accepted)
        let progress = try await server.beginImport(export).progress
        await #expect { _ = try await worker.add([.sample(2)]) } throws: { ($0 as? QueueError)?.code == .sealed }
        try await server.endImport(progress)
        #expect(try await worker.add([.sample(2)]).count == 1)
        await worker.close()
        await server.close()
    }

    @Test func `a copy of a queue that was imported is refused, and stores nothing`() async throws {
        let file = try queues.file()
        let ids = try await file.add([.sample(1), .sample(2)])
        await file.close()
        let copy = try queues.copy()
        #expect(try await queues.transfer())
        let target = try await queues.server(isImport: true)
        for job in try await target.startAll().prefix(1) { _ = try await target.complete(job, .accepted) }
        queues.serverClock.advance(by: .seconds(31))
        _ = try await target.recoverLeases()
        await #expect { _ = try await copy.transfer(target: target) } throws: {
            "\($0)".contains("a copy of the same queue was imported there")
        }
        #expect(try await target.jobs(ids, app: "shop").count == 2)
        await target.close()
    }

    @Test func `a step of an import that the queue does not know is refused`() async throws {
        let server = try await queues.server(isImport: true)
        let batch = ImportBatch(of: UUID(), sealed: queues.fileClock.now, .record, [], from: 0, to: 1)
        await #expect { _ = try await server.take(batch) } throws: {
            "\($0)".contains("doesn't know the import of the export")
        }
        await server.close()
    }

    @Test func `a queue into which an earlier version has not finished a move says so at the start`() async throws {
        let server = try await queues.server()
        _ = try await server.createCampaign(NewQueueCampaign("Sale", app: "shop"))
        await server.close()
        try PostgresConnection(queues.address, .patient).execute("UPDATE campaign SET app = -app")
        let reports = NIOLockedValueBox<[String]>([])
        var options = queues.serverOptions
        options.report = { text in reports.withLockedValue { $0.append(text) } }
        let half = try await PostgresQueue(queues.address, options: options)
        #expect(reports.withLockedValue { $0 }.contains { $0.contains("Finish the move with that version") })
        // Giving it up removes what was hidden.
        _ = try await half.purge(app: "shop", limit: 100)
        await half.close()
        reports.withLockedValue { $0 = [] }
        await (try await PostgresQueue(queues.address, options: options)).close()
        #expect(!reports.withLockedValue { $0 }.contains { $0.contains("queue move") })
    }
}

extension QueueReservationAnswer {
    fileprivate var isReserved: Bool { if case .reserved = self { true } else { false } }
}
