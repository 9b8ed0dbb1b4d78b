import Foundation
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// What happens in the target, or differs there, while a file is moved.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct MoveMeanwhileTests {
    private let queues: MovedQueues

    init() throws {
        queues = try MovedQueues()
    }

    // MARK: Dedupe keys

    @Test(arguments: [3600, 48 * 3600])
    func `a dedupe key holds while its job is under way, however long the move takes`(age: Int) async throws {
        let file = try queues.file()
        let job = NewQueueJob.sample(1).with {
            $0.dedupeKey = "order"
            $0.due = .at(queues.fileClock.now + .seconds(100 * 3600))
        }
        let ids = try await file.add([job])
        await file.close()
        for clock in [queues.fileClock, queues.serverClock] { clock.advance(by: .seconds(age)) }
        // The keys have arrived, and the job has not.
        #expect(try await !queues.move(steps: 2))
        let double = EnqueueRequest([NewQueueJob.sample(2).with { $0.dedupeKey = "order" }], app: "shop")
        for clock in [queues.fileClock, queues.serverClock] { clock.advance(by: .seconds(50 * 3600)) }
        var server = try await queues.server()
        _ = try await server.dropKeys(limit: 100)
        #expect(try await server.enqueue(double) == .done([.duplicate(ids[0])]))
        await server.close()
        #expect(try await queues.move())
        server = try await queues.server()
        #expect(try await server.enqueue(double) == .done([.duplicate(ids[0])]))
        // With its job, the key has the time that it had in the file.
        #expect(try await server.cancel(ids, app: "shop").count == 1)
        #expect(try await server.enqueue(double) != .done([.duplicate(ids[0])]))
        await server.close()
    }

    @Test func `a dedupe key that was dropped in the target is stored again with its job`() async throws {
        let file = try queues.file()
        let ids = try await file.add([NewQueueJob.sample(1).with { $0.dedupeKey = "order" }])
        await file.close()
        #expect(try await !queues.move(steps: 2))
        let server = try await queues.server()
        // What is known of the app is forgotten.
        _ = try await server.purge(app: "shop", limit: 100)
        #expect(try await queues.move(target: server))
        let after = try await queues.server()
        let double = EnqueueRequest([NewQueueJob.sample(2).with { $0.dedupeKey = "order" }], app: "shop")
        #expect(try await after.enqueue(double) == .done([.duplicate(ids[0])]))
        await after.close()
    }

    // MARK: Clocks

    @Test(arguments: [-600, 600])
    func `times that count from the clock of the file count from that of the target`(ahead: Int) async throws {
        let file = try queues.file()
        let now = queues.fileClock.now
        var jobs = (0..<4).map { NewQueueJob.sample($0) }
        jobs[1].expiry = .after(.seconds(300))
        jobs[2].due = .at(now + .seconds(900))
        jobs[2].expiry = .after(.seconds(300))
        jobs[3].expiry = .at(now + .seconds(700))
        let ids = try await file.add(jobs)
        await file.close()
        queues.serverClock.jump(by: .seconds(ahead))
        #expect(try await queues.move())
        let server = try await queues.server()
        let here = queues.serverClock.now
        #expect(try await server.job(ids[0])?.due == here)
        #expect(try await server.job(ids[1])?.due == here)
        #expect(try await server.job(ids[1])?.expires == here + .seconds(300))
        // Times that the caller gave stay.
        #expect(try await server.job(ids[2])?.due == now + .seconds(900))
        #expect(try await server.job(ids[2])?.expires == now + .seconds(1200))
        #expect(try await server.job(ids[3])?.expires == now + .seconds(700))
        #expect(try await server.job(ids[3])?.due == here)
        #expect(try await Set(server.claim().map(\.id)) == [ids[0], ids[1], ids[3]])
        await server.close()
    }

    @Test func `a due time never passes the expiry, whatever the clocks say`() async throws {
        let file = try queues.file()
        let job = NewQueueJob.sample(1).with { $0.expiry = .at(queues.fileClock.now + .seconds(60)) }
        let ids = try await file.add([job])
        await file.close()
        queues.serverClock.jump(by: .seconds(600))
        #expect(try await queues.move())
        let server = try await queues.server()
        let moved = try #require(try await server.job(ids[0]))
        #expect(moved.due == moved.expires)
        await server.close()
    }

    // MARK: Copies

    @Test func `a copy is refused, also if its first jobs had their outcomes before the move`() async throws {
        let file = try queues.file()
        let ids = try await file.add((0..<10).map { .sample($0) }).sorted { $0.uuidString < $1.uuidString }
        await file.close()
        let copy = try queues.copy()
        let again = try queues.file()
        _ = try await again.cancel(Array(ids.prefix(7)), app: "shop")
        await again.close()
        #expect(try await queues.move())
        let target = try await queues.server()
        await #expect { _ = try await copy.move(batchSize: 3, target: target) } throws: {
            "\($0)".contains("an earlier copy of the file was moved there")
        }
        await target.close()
    }

    // MARK: Campaigns

    /// A campaign with 10 released lines and 10 that are held.
    private func makeCampaign() async throws -> (NewQueueCampaign, UUID) {
        let file = try queues.file()
        var new = NewQueueCampaign("Spring", app: "shop", settings: [1, 2])
        new.key = "spring"
        guard case .created(let campaign) = try await file.createCampaign(new) else { throw Unexpected() }
        let lines = (1...20).map { QueueCampaignLine($0, .job(.sample($0))) }
        _ = try await file.addLines(lines, to: campaign.id, app: "shop")
        _ = try await file.changeCampaign(campaign.id, app: "shop", .start(closes: true))
        _ = try await file.advanceCampaign(campaign.id, app: "shop", ahead: 10, limit: 10)
        await file.close()
        return (new, campaign.id)
    }

    @Test func `an upload that is repeated during the move makes no second campaign`() async throws {
        let (new, id) = try await makeCampaign()
        #expect(try await !queues.move(steps: 5))
        var server = try await queues.server()
        #expect(try await server.createCampaign(new) == .inProgress)
        // Another key, or none, is no problem.
        for key in ["summer", nil] {
            var other = new
            other.key = key
            guard case .created = try await server.createCampaign(other) else { throw Unexpected() }
        }
        await server.close()
        #expect(try await queues.move())
        server = try await queues.server()
        guard case .existing(let same) = try await server.createCampaign(new) else { throw Unexpected() }
        #expect(same.id == id)
        await server.close()
    }

    @Test func `an emergency stop reaches a campaign that is being moved`() async throws {
        let (_, id) = try await makeCampaign()
        #expect(try await !queues.move(steps: 5))
        var server = try await queues.server()
        _ = try await server.cancelAll(app: "shop", limit: 100)
        await server.close()
        #expect(try await queues.move())
        server = try await queues.server()
        #expect(try await server.startAll().isEmpty)
        _ = try await server.advanceCampaign(id, app: "shop", ahead: 100, limit: 100)
        let campaign = try #require(try await server.campaign(id, app: "shop"))
        #expect(campaign.state == .cancelled)
        #expect(campaign.counts.notSent == 20)
        #expect(campaign.counts.unfinished == 0)
        #expect(try await server.counts()["shop"]?.unfinished == 0)
        await server.close()
    }

    @Test func `a campaign that was erased in the target meanwhile does not come back`() async throws {
        let (_, id) = try await makeCampaign()
        #expect(try await !queues.move(steps: 5))
        let server = try await queues.server()
        _ = try await server.purge(app: "shop", limit: 100)
        let file = try queues.file(isService: true, isMove: true)
        let move = QueueMove(from: file, to: server, staying: [])
        var state = try await move.begin()
        while !state.isComplete { state = try await move.step(state) }
        let proof = try await move.prove(state)
        #expect(!proof.isComplete)
        #expect(proof.isRightButForMissing)
        #expect(proof.missing == ["shop": 20])
        #expect(try await server.campaign(id, app: "shop") == nil)
        #expect(try await server.startAll().isEmpty)
        await file.close()
        await server.close()
    }

    // MARK: Words

    @Test func `the address of a queue has its schema, and no secret`() throws {
        let address = try PostgresAddress("postgres://u:secret@h/d?schema=mine&sslmode=require")
        #expect(address.withSchema == "postgres://u@h/d?schema=mine")
        #expect(try PostgresAddress(address.withSchema).schema == "mine")
        #expect(try PostgresAddress("postgres://u:secret@h/d?sslmode=require").withSchema == "postgres://u@h/d")
    }
}
