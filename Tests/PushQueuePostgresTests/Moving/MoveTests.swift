import Foundation
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The move of a queue from a file to PostgreSQL.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct MoveTests {
    private let queues: MovedQueues

    init() throws {
        queues = try MovedQueues()
    }

    // MARK: Everything

    @Test func `a job is the same after the move, with its history`() async throws {
        let file = try queues.file()
        let now = queues.fileClock.now
        var jobs = (0..<20).map { NewQueueJob.sample($0, payload: String(repeating: "long ", count: 60)) }
        jobs[1].due = .at(now + .seconds(3600))
        jobs[2].expiry = .after(.seconds(500))
        jobs[3].expiry = .at(now + .seconds(900))
        (jobs[4].priority, jobs[5].priority) = (.urgent, .bulk)
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

        #expect(try await queues.move(batchSize: 7))
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

    @Test func `keys still answer after the move, for as long as they would have`() async throws {
        let file = try queues.file()
        let key = QueueIdempotencyKey("request", digest: [1, 2, 3])
        let first = try await file.enqueue(EnqueueRequest([.sample(1)], app: "shop", idempotency: key))
        let dedupe = try await file.add([NewQueueJob.sample(2).with { $0.dedupeKey = "order" }])
        let settled = QueueIdempotencyKey("settled", digest: [4])
        guard case .reserved(let reservation) = try await file.reserve(settled, app: "shop", lasting: .seconds(60))
        else { throw Unexpected() }
        #expect(try await file.settle(settled, app: "shop", reservation: reservation, answer: [7, 8]))
        await file.close()
        queues.fileClock.advance(by: .seconds(23 * 3600))
        #expect(try await queues.move())

        let server = try await queues.server()
        let again = try await server.enqueue(EnqueueRequest([.sample(1)], app: "shop", idempotency: key))
        guard case .done(let results) = first else { throw Unexpected() }
        #expect(again == .replayed(results))
        #expect(try await server.reserve(settled, app: "shop", lasting: .seconds(60)) == .settled([7, 8]))
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
        #expect(try await queues.move())
        let server = try await queues.server()
        let double = NewQueueJob.sample(2).with { $0.dedupeKey = "order" }
        #expect(try await server.enqueue(EnqueueRequest([double], app: "shop")) == .done([.duplicate(ids[0])]))
        await server.close()
    }

    @Test func `records and gone tokens move, and what the target has is kept`() async throws {
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
        #expect(try await queues.move(batchSize: 1))
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

    @Test func `a campaign goes on where it was, and ends`() async throws {
        let (before, ids) = try await makeCampaign()
        #expect(try await queues.move(batchSize: 3))
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

    @Test func `a campaign is hidden until all of its lines are there, and its released lines count`() async throws {
        let (before, _) = try await makeCampaign()
        var hasSent = false
        // Each run makes one step more than is left of the parts, so that jobs arrive before the campaign is shown.
        while try await !queues.move(steps: 1, batchSize: 5) {
            let server = try await queues.server()
            if let shown = try await server.campaign(before.id, app: "shop") {
                #expect(try await server.counts()["shop"]?.unfinished == shown.counts.unfinished)
                await server.close()
                #expect(try await queues.move())
                break
            }
            #expect(try await server.activeCampaigns().isEmpty)
            for job in try await server.startAll() {
                _ = try await server.complete(job, .accepted)
                hasSent = true
            }
            await server.close()
        }
        #expect(hasSent)
        let server = try await queues.server()
        let after = try #require(try await server.campaign(before.id, app: "shop"))
        #expect(after.counts.accepted == 2 + 6)
        #expect(after.counts.held == 20)
        #expect(after.counts.waiting == 0)
        await server.close()
    }

    // MARK: Once

    @Test func `a move that is killed after any batch goes on, and each job is there once`() async throws {
        let file = try queues.file()
        let ids = try await file.add((0..<40).map { .sample($0) }) + file.add([.sample(1)], app: "news")
        await file.close()
        var (runs, sent) = (0, [UUID]())
        while try await !queues.move(steps: runs % 2 + 1, batchSize: 3) {
            runs += 1
            // Workers send what is there.
            let server = try await queues.server()
            for job in try await server.startAll() where runs.isMultiple(of: 3) {
                sent.append(job.id)
                _ = try await server.complete(job, .accepted)
            }
            queues.serverClock.advance(by: .seconds(31))
            _ = try await server.recoverLeases()
            await server.close()
        }
        #expect(runs > 10)
        let server = try await queues.server()
        let shop = try await server.jobs(ids, app: "shop")
        #expect(Set(shop.map(\.id)).count == 40)
        #expect(shop.count == 40)
        #expect(try await server.jobs(ids, app: "news").count == 1)
        #expect(Set(sent).count == sent.count)
        await server.close()
    }

    @Test(arguments: [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer])
    func `a batch is taken in once, whenever the answer to its commit is lost`(
        moment: CuttingProxy.Moment
    ) async throws {
        let file = try queues.file(isMove: true)
        _ = try await file.add((0..<5).map { .sample($0) })
        let server = try await queues.server()
        let id = UUID()
        try await server.begin(id)
        let mark = try await file.closeForMove(id, to: "there")
        var progress = try #require(try await server.progress(of: id))
        while progress.position.part != .jobs {
            let batch = try await file.moveBatch(after: progress.position, mark, staying: [], limit: 10)
            progress = try await server.insert(batch, of: id)
        }
        let batch = try await file.moveBatch(after: progress.position, mark, staying: [], limit: 10)
        let port = try #require(try PostgresServer.shared()).port
        let proxy = try CuttingProxy(to: port, word: "COMMIT", cuts: moment)
        let through = try #require(try PostgresServer.shared()).address(schema: queues.address.schema).replacing(
            ":\(port)", with: ":\(proxy.port),127.0.0.1:\(port)")
        let writer = PostgresWriter(name: "cut", try PostgresAddress(through), queues.serverOptions) { _ in }
        await #expect {
            _ = try await writer.write { (transaction) throws(QueueError) in try transaction.insert(batch, of: id) }
        } throws: {
            ($0 as? QueueError)?.code == .unreachable
        }
        for _ in 1...2 {
            let now = try await writer.write { (transaction) throws(QueueError) in
                try transaction.insert(batch, of: id)
            }
            #expect(now.position == batch.end)
            #expect(now.arrived[.jobs] == 5)
        }
        #expect(try await server.counts()["shop"]?.waiting == 5)
        #expect(try await server.claim().count == 5)
        _ = await writer.close()
        await server.close()
        await file.close()
    }

    // MARK: Refusals

    @Test func `a file that is being moved, or was moved, can be read and not be changed`() async throws {
        let before = try queues.file()
        let ids = try await before.add([.sample(1), .sample(2)])
        // It has the file open since before the move.
        #expect(try await !queues.move(steps: 2))
        for isDone in [false, true] {
            if isDone { #expect(try await queues.move()) }
            let word = isDone ? "was moved to" : "is being moved to"
            let service = #expect(throws: QueueError.self) { _ = try queues.file(isService: true) }
            #expect(service?.code == .moved)
            let text = service?.description ?? ""
            #expect(text.contains(word) && text.contains(queues.address.description), "\(text)")
            #expect(!text.contains(PostgresServer.password))
            for queue in [before, try queues.file()] {
                await #expect { _ = try await queue.cancel(ids, app: "shop") } throws: {
                    ($0 as? QueueError)?.code == .moved
                }
                await #expect { _ = try await queue.claim() } throws: { ($0 as? QueueError)?.code == .moved }
                await #expect { _ = try await queue.add([.sample(3)]) } throws: {
                    ($0 as? QueueError)?.code == .moved
                }
                #expect(try await queue.counts()["shop"]?.waiting == 2)
                #expect(try await queue.jobs(ids, app: "shop").count == 2)
            }
        }
    }

    @Test func `a move goes on only where it began, and a copy of the file is refused`() async throws {
        let file = try queues.file()
        _ = try await file.add([.sample(1)])
        await file.close()
        let copy = try queues.copy()
        #expect(try await !queues.move(steps: 1))
        let other = try await copy.server()
        await #expect { _ = try await queues.move(target: other) } throws: {
            "\($0)".contains("does not know this move")
        }
        await other.close()
        #expect(try await queues.move())
        let target = try await queues.server()
        await #expect { _ = try await copy.move(target: target) } throws: {
            "\($0)".contains("an earlier copy of the file was moved there")
        }
        // The copy was not closed.
        let open = try copy.file()
        #expect(try await open.add([.sample(2)]).count == 1)
        await open.close()
        await target.close()
    }

    @Test func `jobs of a worker that lives stop the move before it begins`() async throws {
        let worker = try queues.file()
        _ = try await worker.add([.sample(1)])
        _ = try await worker.startAll()
        await #expect { _ = try await queues.move() } throws: { ($0 as? QueueError)?.code == .busy }
        #expect(try await worker.moveMark() == nil)
        // Its process ends: what it was sending is settled in the file.
        await worker.close()
        #expect(try await queues.move())
        let file = try queues.file()
        #expect(try await file.counts()["shop"]?.unknown == 1)
        await file.close()
    }
}

extension QueueReservationAnswer {
    fileprivate var isReserved: Bool { if case .reserved = self { true } else { false } }
}
