import NIOConcurrencyHelpers
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Three workers, few devices, one collapse id, 503s and pauses by chance, and workers that are killed.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct OrderTests {
    /// What Apple has accepted: the pushes to each device, in the order of their arrival. It has the clock of the queue, which stands
    /// still while a push is on the way: however slow the machine is, no push takes longer than it may.
    private final class Apple: Sendable {
        let clock = ManualClock()
        private let state = NIOLockedValueBox((accepted: [Int: [UUID]](), flying: [Int: Int](), together: 0))

        /// Lets time pass, unless a push is on the way.
        func pass(_ time: Duration) {
            state.withLockedValue { if $0.flying.values.allSatisfy({ $0 == 0 }) { clock.advance(by: time) } }
        }

        /// Begins a push, unless the time is over in which it may begin.
        func begin(_ device: Int, before end: QueueTime) -> Bool {
            state.withLockedValue { state in
                guard clock.now < end else { return false }
                state.flying[device, default: 0] += 1
                if state.flying[device] ?? 0 > 1 { state.together += 1 }
                return true
            }
        }

        func end(_ device: Int, _ push: UUID, accepts: Bool) {
            state.withLockedValue { state in
                state.flying[device, default: 0] -= 1
                if accepts { state.accepted[device, default: []].append(push) }
            }
        }

        /// Opens a queue with this clock.
        func open(_ address: PostgresAddress) async throws -> PostgresQueue {
            var options = QueueOptions()
            (options.clock, options.uptime, options.boot) = (
                { [clock] in clock.now }, { [clock] in clock.uptime }, clock.boot
            )
            return try await PostgresQueue(address, options: .with(options))
        }

        var accepted: [Int: [UUID]] { state.withLockedValue { $0.accepted } }
        /// How often two pushes to one device were on the way at once.
        var together: Int { state.withLockedValue { $0.together } }
    }

    private static let devices = 12
    private static let pushes = 600
    /// The longest time of a push on the way. A worker here sends nothing when a third of it has passed.
    private static let longest = Duration.milliseconds(2400)

    private static func key(_ device: Int) -> UUID { UUID(77, UInt64(device)) }

    private static func device(_ job: ClaimedQueueJob) -> Int {
        guard case .device(let token) = job.target else { return 0 }
        return Int(token.suffix(4), radix: 16) ?? 0
    }

    @Test(arguments: [1, 2])
    func
        `with workers that are killed, no older push is accepted after a newer one, and each device ends on its newest`(
            seed: UInt64
        ) async throws
    {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let apple = Apple()
        let queue = try await apple.open(address)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var random = SeededGenerator(seed: seed)
                for first in stride(from: 0, to: Self.pushes, by: 6) {
                    let jobs = (first..<first + 6).map { _ in
                        NewQueueJob.sample(Int.random(in: 0..<Self.devices, using: &random)).with {
                            $0.policy = .atLeastOnce
                            if random.oneIn(2) { $0.expiry = .after(.seconds(3600)) }
                        }
                    }
                    _ = try await queue.add(jobs)
                    try await Task.sleep(for: .milliseconds(3))
                }
            }
            for worker in 0..<3 {
                group.addTask {
                    var random = SeededGenerator(seed: seed * 10 + UInt64(worker))
                    while try await queue.unfinished(of: Self.pushes) {
                        try await Self.life(of: worker, &random, address, apple)
                    }
                }
            }
            try await group.waitForAll()
        }
        for (device, accepted) in apple.accepted {
            // At least once: the same push may be accepted twice, but no older one after a newer one.
            let backwards = zip(accepted, accepted.dropFirst()).filter { $0 > $1 }
            #expect(backwards.isEmpty, "device \(device), seed \(seed): \(accepted)")
        }
        #expect(apple.together == 0)
        var newest: [Int: UUID] = [:]
        for job in try await queue.everyJob() {
            guard case .device(let token) = job.target, let device = Int(token.suffix(4), radix: 16) else { continue }
            newest[device] = max(newest[device] ?? job.id, job.id)
            let isOrderly = job.outcome?.kind == .accepted || job.outcome?.reason == QueueJobOutcome.superseded
            #expect(isOrderly, "\(job)")
        }
        #expect(apple.accepted.compactMapValues(\.last) == newest)
        #expect(try await queue.counts()["shop"]?.accepted ?? 0 > Self.devices)
        await queue.close()
    }

    /// A worker until it is killed, with pushes on the way, or until nothing is left.
    private static func life(
        of worker: Int, _ random: inout SeededGenerator, _ address: PostgresAddress, _ apple: Apple
    ) async throws {
        let queue = try await apple.open(address)
        for _ in 0..<40 {
            apple.pass(.milliseconds(Int.random(in: 5...100, using: &random)))
            _ = try await queue.recoverLeases()
            let claimed = try await queue.claim(
                8, lease: .seconds(3), owner: "worker \(worker) \(random.next())")
            if claimed.isEmpty {
                if try await queue.unfinished(of: Self.pushes) { continue } else { break }
            }
            let end = apple.clock.now + longest / 3
            let results = try await queue.start(
                claimed.map { job in
                    QueueJobStart(
                        job.lease,
                        replacement: QueueReplacement(key: key(device(job)), place: job.id, longest: longest))
                })
            let isKilled = random.oneIn(25)
            var (completions, retries): ([QueueJobCompletion], [QueueJobRetry]) = ([], [])
            for (job, result) in zip(claimed, results) {
                switch result {
                case .done:
                    if isKilled, random.oneIn(2) { continue }
                    guard apple.begin(device(job), before: end) else {
                        retries.append(QueueJobRetry(job.lease, due: .after(.zero), reason: "late"))
                        continue
                    }
                    let (accepts, pause) = (!random.oneIn(5), Int.random(in: 0...4, using: &random))
                    try await Task.sleep(for: .milliseconds(pause))
                    apple.end(device(job), job.id, accepts: accepts)
                    if accepts {
                        completions.append(QueueJobCompletion(job.lease, .accepted))
                    } else {
                        let pause = Int.random(in: 0...60, using: &random)
                        retries.append(QueueJobRetry(job.lease, due: .after(.milliseconds(pause)), reason: "503"))
                    }
                case .superseded:
                    completions.append(
                        QueueJobCompletion(
                            job.lease, QueueJobOutcome(.notSent, reason: QueueJobOutcome.superseded)))
                case .busy:
                    retries.append(QueueJobRetry(job.lease, due: .after(.milliseconds(25)), reason: "busy"))
                default: continue
                }
            }
            if isKilled { return await queue.abort() }
            _ = try await queue.complete(completions)
            _ = try await queue.retry(retries)
        }
        await queue.close()
    }
}

extension QueueBackend {
    /// Whether some of the jobs have no outcome yet, or were not added yet.
    fileprivate func unfinished(of count: Int) async throws -> Bool {
        try await counts()["shop"]?.kept ?? 0 < count
    }

    fileprivate func everyJob() async throws -> [QueueJobRecord] {
        var (jobs, query) = ([QueueJobRecord](), QueueJobQuery(app: "shop", filter: .all, limit: 500))
        repeat {
            let page = try await self.jobs(query)
            jobs += page.items
            query.after = page.next
        } while query.after != nil
        return jobs
    }
}
