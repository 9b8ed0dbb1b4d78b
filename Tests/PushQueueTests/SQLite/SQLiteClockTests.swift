import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

struct SQLiteClockTests {
    private let folder: QueueFolder
    private let clock = ManualClock()

    init() throws {
        folder = try QueueFolder()
    }

    private func open(_ path: String, boot: String? = nil) throws -> SQLiteQueue {
        var options = QueueOptions()
        let clock = clock
        options.clock = { clock.now }
        options.uptime = { clock.uptime }
        options.boot = boot ?? clock.boot
        return try SQLiteQueue(path, options: .with(options))
    }

    @Test func `the first process that notices a jump corrects for it, and the others leave it alone`() async throws {
        let first = try open(folder.next())
        let second = try open(first.path)
        let queues = [first, second]
        let ids = try await first.add([.sample(1), .sample(2)])
        let jobs = try await second.startAll(lease: .seconds(3000))
        _ = try await first.retry([QueueJobRetry(jobs[0].lease, due: .after(.seconds(2000)), reason: "x")])
        for (round, jump) in [3600, -7200, 900, -3].enumerated() {
            let due = clock.now + .seconds(2000 - round)
            #expect(try await first.job(ids[0])?.due == due)
            clock.jump(by: .seconds(jump))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 { group.addTask { _ = try await queues[number % 2].recoverLeases() } }
                try await group.waitForAll()
            }
            for queue in queues {
                #expect(try await queue.job(ids[0])?.due == due + .seconds(jump))
                #expect(try await queue.job(ids[1])?.leaseEnds == clock.now + .seconds(3000 - round))
            }
            clock.advance(by: .seconds(1))
        }
        #expect(try await second.complete(jobs[1], .accepted) == .done)
        for queue in queues { await queue.close() }
    }

    @Test func `a jump while no process has the file open takes no time from anything`() async throws {
        let queue = try open(folder.next())
        _ = try await queue.add([.sample()])
        let job = try await queue.startAll(lease: .seconds(30))[0]
        await queue.close()
        clock.advance(by: .seconds(10))
        clock.jump(by: .seconds(86_400))
        let again = try open(queue.path)
        // Its time alone decides, not that its process has ended.
        try again.owners.hold("worker")
        #expect(try await again.recoverLeases() == QueueLeaseRecovery())
        #expect(try await again.complete(job, .accepted) == .done)
        await again.close()
    }

    @Test(arguments: [0, -3600, 3600])
    func `leases from before a start of the machine run out`(jump: Int) async throws {
        let queue = try open(folder.next())
        _ = try await queue.add([.sample()])
        _ = try await queue.claim(lease: .seconds(30))
        await queue.close()
        clock.restart(after: .seconds(20))
        let again = try open(queue.path)
        try again.owners.hold("worker")
        #expect(try await again.recoverLeases() == QueueLeaseRecovery())
        // The time of the network comes late.
        clock.jump(by: .seconds(jump))
        clock.advance(by: .seconds(9))
        #expect(try await again.recoverLeases() == QueueLeaseRecovery())
        clock.advance(by: .seconds(1))
        #expect(try await again.recoverLeases().waiting == 1)
        await again.close()
    }

    @Test func `a machine that starts with a wrong time makes no lease and no key eternal`() async throws {
        let queue = try open(folder.next())
        let job = NewQueueJob.sample().with { $0.dedupeKey = "d" }
        _ = try await queue.add([job])
        _ = try await queue.claim(lease: .seconds(30))
        await queue.close()
        clock.restart(after: .zero)
        clock.jump(by: .zero - (clock.now - .earliest))
        let again = try open(queue.path)
        try again.owners.hold("worker")
        #expect(try await again.recoverLeases() == QueueLeaseRecovery())
        clock.advance(by: .seconds(30))
        #expect(try await again.recoverLeases().waiting == 1)
        #expect(try await again.claim().count == 1)
        await again.close()
    }

    @Test func `processes that give the start of the machine other names take nothing from each other`()
        async throws
    {
        let first = try open(folder.next(), boot: "a")
        let second = try open(first.path, boot: "b")
        _ = try await first.add([.sample()])
        let job = try await first.claim(lease: .seconds(30))[0]
        for _ in 0..<29 {
            clock.advance(by: .seconds(1))
            #expect(try await second.recoverLeases() == QueueLeaseRecovery())
            #expect(try await first.recoverLeases() == QueueLeaseRecovery())
        }
        #expect(try await first.start([job.lease]) == [.done])
        clock.advance(by: .seconds(1))
        #expect(try await second.recoverLeases().unknown == 1)
        for queue in [first, second] { await queue.close() }
    }
}
