import Foundation
import NIOConcurrencyHelpers
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct LockTimeoutTests {
    /// A server of its own, whose log has the timeouts, and a queue on it.
    private struct Ground {
        let server: PostgresServer
        let address: PostgresAddress
        let queue: PostgresQueue
        /// A job whose dedupe key can be locked.
        let held = NewQueueJob.sample().with { $0.dedupeKey = "held" }

        init(lockTime: Duration) async throws {
            server = try await Blocking.run { try PostgresServer() }
            address = try PostgresAddress(server.address(schema: server.newSchema()))
            var options = PostgresQueue.Options.patient
            options.lockTime = lockTime
            queue = try await PostgresQueue(address, options: options)
        }

        /// Locks the key. Its time is over, so that the next job wants to take it.
        func lockKey() async throws -> PostgresConnection {
            _ = try await queue.add([held])
            let holder = try PostgresConnection(address, .patient)
            try holder.execute("UPDATE dedupe SET until = 0; DELETE FROM job")
            try holder.execute("BEGIN; SELECT FROM dedupe FOR UPDATE")
            return holder
        }

        /// How often a statement has waited in vain for the key.
        var timeouts: Int {
            let log = try? String(contentsOfFile: server.folder + "/log", encoding: .utf8)
            return LockTimeoutTests.timeouts(in: log ?? "", about: "dedupe")
        }
    }

    @Test func `a lock that is held for long holds up only the step that needs it`() async throws {
        let ground = try await Ground(lockTime: .seconds(1))
        let (queue, writer) = (ground.queue, ground.queue.intakeWriter)
        let holder = try await ground.lockKey()
        let maximum = NIOLockedValueBox(0)
        let calls: [@Sendable () async throws -> Void] = (0..<4).map { number in
            if number == 1 { return { _ = try await queue.add([ground.held]) } }
            return {
                try await writer.write { (transaction) throws(QueueError) in
                    _ = try transaction.enqueue([PostgresEnqueue(EnqueueRequest([.sample(number)], app: "shop"))])
                    maximum.withLockedValue { $0 = max($0, ground.timeouts) }
                }
            }
        }
        let results = try await PostgresWriterGate().together(writer, calls)
        #expect(results.map { $0.queueError?.code } == [nil, .conflict, nil, nil])
        // The group has waited for the lock once, and the step alone once more.
        #expect((1...2).contains(maximum.withLockedValue { $0 }))
        #expect(ground.timeouts == 17)
        try holder.execute("ROLLBACK")
        #expect(try await queue.add([ground.held]).count == 1)
        await queue.close()
    }

    @Test func `steps that need a held lock and keep arriving do not hold up the others`() async throws {
        let ground = try await Ground(lockTime: .milliseconds(400))
        let (queue, writer) = (ground.queue, ground.queue.intakeWriter)
        let holder = try await ground.lockKey()
        let (maximum, isOver) = (NIOLockedValueBox(0), NIOLockedValueBox(false))
        let calls: [@Sendable () async throws -> Void] = (0..<20).map { number in
            if number == 5 { return { _ = try? await queue.add([ground.held]) } }
            return {
                try await writer.write { (transaction) throws(QueueError) in
                    _ = try transaction.enqueue([PostgresEnqueue(EnqueueRequest([.sample(number)], app: "shop"))])
                    maximum.withLockedValue { $0 = max($0, ground.timeouts) }
                }
                if number == 19 { isOver.withLockedValue { $0 = true } }
            }
        }
        let arriving = NIOLockedValueBox<Task<Void, Never>?>(nil)
        let results = try await PostgresWriterGate().together(writer, calls) {
            let task = Task {
                await withTaskGroup { group in
                    while !isOver.withLockedValue({ $0 }) {
                        // There is always a new step that needs the lock.
                        if writer.waiting == 0 { group.addTask { _ = try? await queue.add([ground.held]) } }
                        await Task.yield()
                    }
                }
            }
            arriving.withLockedValue { $0 = task }
        }
        #expect(results.compactMap(\.queueError).isEmpty)
        // The group has waited for the lock once, and the step alone once more.
        #expect((1...2).contains(maximum.withLockedValue { $0 }))
        try holder.execute("ROLLBACK")
        await arriving.withLockedValue { $0 }?.value
        await queue.close()
    }

    @Test func `a queue that is closed does not wait long for locks`() async throws {
        let ground = try await Ground(lockTime: .milliseconds(400))
        let (queue, writer) = (ground.queue, ground.queue.intakeWriter)
        let holder = try await ground.lockKey()
        let calls: [@Sendable () async throws -> Void] = (0..<20).map { _ in
            { _ = try await queue.add([ground.held]) }
        }
        let closing = NIOLockedValueBox<Task<Void, Never>?>(nil)
        let results = try await PostgresWriterGate().together(writer, calls) {
            let task = Task { await queue.close() }
            closing.withLockedValue { $0 = task }
            while writer.isOpen { await Task.yield() }
        }
        #expect(results.map { $0.queueError?.code } == Array(repeating: .conflict, count: 20))
        // Without an end, each of them would be tried 17 times.
        #expect(ground.timeouts < 17 * 20 / 2)
        await closing.withLockedValue { $0 }?.value
        try holder.execute("ROLLBACK")
    }

    /// How often a statement about a table has waited in vain for a lock. The log names the statement behind each error.
    private static func timeouts(in log: String, about table: String) -> Int {
        let parts = log.components(separatedBy: "canceling statement due to lock timeout")
        return parts.dropFirst().count { $0.contains(table) }
    }

    /// The last statements go out with the commit. The server does not commit, so this is no commit without an answer.
    @Test func `a lock that is held at the commit is waited for like any other`() async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        var options = PostgresQueue.Options.patient
        options.lockTime = .milliseconds(400)
        let queue = try await PostgresQueue(address, options: options)
        let token = NewQueueJob.token(1)
        try await queue.recordGone([GoneToken(token, since: QueueTime(milliseconds: 1))], app: "shop")
        let holder = try PostgresConnection(address, .patient)
        try holder.execute("BEGIN; SELECT FROM gone FOR UPDATE")
        let later = GoneToken(token, since: QueueTime(milliseconds: 2))
        let error = await #expect(throws: QueueError.self) { try await queue.recordGone([later], app: "shop") }
        #expect(error?.code == .conflict)
        let log = try await Blocking.run { try String(contentsOfFile: server.folder + "/log", encoding: .utf8) }
        #expect(Self.timeouts(in: log, about: "gone") == 17)
        try holder.execute("ROLLBACK")
        try await queue.recordGone([later], app: "shop")
        #expect(try await queue.gone(among: [token], app: "shop").map(\.since) == [later.since])
        await queue.close()
    }
}
