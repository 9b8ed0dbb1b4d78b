import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Several processes on one queue.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct SeveralWorkersTests {
    private func address() throws -> PostgresAddress {
        let server = try #require(try PostgresServer.shared())
        return try PostgresAddress(server.address(schema: server.newSchema()))
    }

    @Test func `workers that start at once make the tables once`() async throws {
        let address = try address()
        try await withThrowingTaskGroup(of: PostgresQueue.self) { group in
            for _ in 0..<4 { group.addTask { try await PostgresQueue(address, options: .patient) } }
            for try await queue in group {
                #expect(try await queue.add([.sample()]).count == 1)
                await queue.close()
            }
        }
        let queue = try await PostgresQueue(address, options: .patient)
        #expect(try await queue.counts()["shop"]?.waiting == 4)
        await queue.close()
    }

    @Test func `other workers learn of a change that a worker makes just before it ends`() async throws {
        let address = try address()
        var options = PostgresQueue.Options.patient
        options.pollInterval = .seconds(3600)
        let (first, other) = (
            try await PostgresQueue(address, options: options), try await PostgresQueue(address, options: options)
        )
        let changes = other.changes(of: .campaigns)
        // The notice of the jobs begins a pause, in which the campaign is changed.
        let jobs = other.changes(of: .jobs)
        // A worker that has just started may not listen yet.
        let adding = Task {
            while !Task.isCancelled { _ = try await first.add([.sample()]) }
        }
        for await _ in jobs { break }
        adding.cancel()
        _ = await adding.result
        guard case .created(let campaign) = try await first.createCampaign(NewQueueCampaign("Sale", app: "shop"))
        else {
            throw Unexpected()
        }
        _ = try await first.changeCampaign(campaign.id, app: "shop", .start(closes: true))
        await first.close()
        for await _ in changes { break }
        await other.close()
    }

    @Test func `keys that are kept do not hold up the one that can be dropped`() async throws {
        let clock = ManualClock()
        var options = QueueOptions()
        (options.clock, options.uptime, options.boot) = ({ clock.now }, { clock.uptime }, clock.boot)
        let queue = try await PostgresQueue(try address(), options: .with(options))
        _ = try await queue.add(
            (0..<5).map { number in NewQueueJob.sample(number).with { $0.dedupeKey = "\(number)" } })
        clock.advance(by: .seconds(1))
        let id = try await queue.add([NewQueueJob.sample(9).with { $0.dedupeKey = "done" }])[0]
        _ = try await queue.cancel([id], app: "shop")
        clock.advance(by: .seconds(40 * 86400))
        // The key, and the count of the minute in which its job ended.
        #expect(try await queue.dropKeys(limit: 1) == 2)
        await queue.close()
    }

    @Test func `each job is claimed by one worker, and ends once`() async throws {
        let address = try address()
        let queue = try await PostgresQueue(address, options: .patient)
        let ids = Set(try await queue.add((0..<600).map { .sample($0) }))
        let claimed = try await withThrowingTaskGroup(of: [ClaimedQueueJob].self) { group in
            for number in 0..<3 {
                group.addTask {
                    let worker = try await PostgresQueue(address, options: .patient)
                    var all: [ClaimedQueueJob] = []
                    while true {
                        let jobs = try await worker.claim(7, owner: "worker \(number)")
                        if jobs.isEmpty { break }
                        let started = try await worker.start(jobs.map(\.lease))
                        #expect(started.allSatisfy { $0 == .done })
                        let done = try await worker.complete(jobs.map { QueueJobCompletion($0.lease, .accepted) })
                        #expect(done.allSatisfy { $0 == .done })
                        all += jobs
                    }
                    await worker.close()
                    return all
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claimed.count == ids.count && Set(claimed.map(\.id)) == ids)
        let counts = try #require(try await queue.counts()["shop"])
        #expect(counts.accepted == 600 && counts.unfinished == 0)
        await queue.close()
    }

    @Test func `a request that is posted to two workers at once is done once`() async throws {
        let address = try address()
        let queues = [
            try await PostgresQueue(address, options: .patient),
            try await PostgresQueue(address, options: .patient),
        ]
        var request = EnqueueRequest((0..<3).map { .sample($0) }, app: "shop")
        for round in 0..<20 {
            request.idempotency = QueueIdempotencyKey("key \(round)", digest: [1])
            let wish = request
            async let first = queues[0].enqueue(wish)
            async let second = queues[1].enqueue(wish)
            let answers = try await [first, second]
            let done = answers.compactMap { if case .done(let results) = $0 { results } else { nil } }
            #expect(done.count == 1)
            #expect(answers.contains(.replayed(done[0])))
        }
        #expect(try await queues[0].counts()["shop"]?.waiting == 60)
        for queue in queues { await queue.close() }
    }

    @Test func `a worker hears of the jobs of another one`() async throws {
        let address = try address()
        var options = PostgresQueue.Options.patient
        options.pollInterval = .seconds(3600)
        let (first, second) = (
            try await PostgresQueue(address, options: options), try await PostgresQueue(address, options: options)
        )
        let changes = second.changes(of: .jobs)
        // A worker that has just started may not listen yet.
        let adding = Task {
            while !Task.isCancelled { _ = try await first.add([.sample()]) }
        }
        for await _ in changes { break }
        adding.cancel()
        _ = await adding.result
        await first.close()
        await second.close()
    }
}
