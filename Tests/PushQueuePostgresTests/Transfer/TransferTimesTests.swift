import Foundation
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The times of jobs and keys after an import, and the clocks of the two queues.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct TransferTimesTests {
    private let queues: TransferredQueues

    init() throws {
        queues = try TransferredQueues()
    }

    // MARK: Clocks

    /// If the clock of the target is behind, no time has passed. If it is ahead, time has passed: a file can be imported days later.
    @Test(arguments: [-600, 600])
    func `a job keeps at most the time that it had left`(ahead: Int) async throws {
        let file = try queues.file()
        let now = queues.fileClock.now
        var jobs = (0..<4).map { NewQueueJob.sample($0) }
        jobs[1].expiry = .after(.seconds(900))
        jobs[2].due = .at(now + .seconds(900))
        jobs[2].expiry = .after(.seconds(300))
        jobs[3].expiry = .at(now + .seconds(700))
        let ids = try await file.add(jobs)
        await file.close()
        queues.serverClock.jump(by: .seconds(ahead))
        #expect(try await queues.transfer())
        let server = try await queues.server()
        let start = min(now, queues.serverClock.now)
        #expect(try await server.job(ids[0])?.due == start)
        #expect(try await server.job(ids[1])?.due == start)
        #expect(try await server.job(ids[1])?.expires == start + .seconds(900))
        // Times that the caller gave stay.
        #expect(try await server.job(ids[2])?.due == now + .seconds(900))
        #expect(try await server.job(ids[2])?.expires == now + .seconds(1200))
        #expect(try await server.job(ids[3])?.expires == now + .seconds(700))
        #expect(try await server.job(ids[3])?.due == start)
        #expect(try await Set(server.claim().map(\.id)) == [ids[0], ids[1], ids[3]])
        await server.close()
    }

    @Test func `a key ends when it would have ended without the export`() async throws {
        let file = try queues.file()
        let key = QueueIdempotencyKey("request", digest: [1])
        _ = try await file.enqueue(EnqueueRequest([.sample(1)], app: "shop", idempotency: key))
        await file.close()
        for clock in [queues.fileClock, queues.serverClock] { clock.advance(by: .seconds(10 * 3600)) }
        #expect(try await !queues.transfer(steps: 0))
        // The file is imported ten hours after its queue was sealed.
        for clock in [queues.fileClock, queues.serverClock] { clock.advance(by: .seconds(10 * 3600)) }
        #expect(try await queues.transfer())
        let server = try await queues.server()
        queues.serverClock.advance(by: .seconds(4 * 3600 - 60))
        guard case .replayed = try await server.enqueue(EnqueueRequest([.sample(1)], app: "shop", idempotency: key))
        else { throw Unexpected() }
        queues.serverClock.advance(by: .seconds(120))
        guard case .done = try await server.enqueue(EnqueueRequest([.sample(1)], app: "shop", idempotency: key))
        else { throw Unexpected() }
        await server.close()
    }

    @Test(arguments: [-600, 600])
    func `a due time never passes the expiry, whatever the clocks say`(ahead: Int) async throws {
        let file = try queues.file()
        let now = queues.fileClock.now
        let ids = try await file.add([
            NewQueueJob.sample(1).with { $0.expiry = .at(now + .seconds(60)) },
            NewQueueJob.sample(2).with { $0.expiry = .after(.seconds(60)) },
        ])
        await file.close()
        queues.serverClock.jump(by: .seconds(ahead))
        #expect(try await queues.transfer())
        let server = try await queues.server()
        for id in ids {
            let job = try #require(try await server.job(id))
            #expect(job.due <= (job.expires ?? .earliest))
        }
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
