#if PushService
    import Foundation
    import NIOConcurrencyHelpers
    import PushQueue
    import QueueConformance
    import TestSupport
    import Testing

    @testable import PushQueuePostgres

    @Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
    struct LockTimeoutTests {
        @Test func `a lock that is held for long holds up only the step that needs it`() async throws {
            let server = try await Blocking.run { try PostgresServer() }
            let address = try PostgresAddress(server.address(schema: server.newSchema()))
            var options = PostgresQueueOptions()
            options.lockTime = .seconds(1)
            let queue = try await PostgresQueue(address, options: options)
            let held = NewJob.sample().with { $0.dedupeKey = "held" }
            _ = try await queue.add([held])
            let holder = try PostgresConnection(address, PostgresSettings(statementTime: .seconds(300)))
            // The time of the key is over, so that the next job wants to take it.
            try holder.execute("UPDATE dedupe SET until = 0; DELETE FROM job")
            try holder.execute("BEGIN; SELECT FROM dedupe FOR UPDATE")
            let timeouts: @Sendable () -> Int = {
                let log = try? String(contentsOfFile: server.folder + "/log", encoding: .utf8)
                return (log ?? "").components(separatedBy: "canceling statement due to lock timeout").count - 1
            }
            let most = NIOLockedValueBox(0)
            let calls: [@Sendable () async throws -> [UUID]] = (0..<4).map { number in
                { try await queue.add([number == 1 ? held : .sample(number)]) }
            }
            let each: @Sendable (Int, Result<[UUID], any Error>) -> Void = { index, _ in
                if index != 1 { most.withLockedValue { $0 = max($0, timeouts()) } }
            }
            let results = try await PostgresWriterGate().together(queue.intakeWriter, calls, each: each)
            #expect(results.map { $0.queueError?.code } == [nil, .conflict, nil, nil])
            // The group has waited for the lock once, and the step alone perhaps once more before the others. On a busy machine, the answers
            // arrive later, but not after all its tries.
            #expect((1..<17).contains(most.withLockedValue { $0 }))
            #expect(timeouts() == 17)
            try holder.execute("ROLLBACK")
            #expect(try await queue.add([held]).count == 1)
            await queue.close()
        }

        @Test func `a queue that is closed does not wait long for a lock`() async throws {
            let server = try await Blocking.run { try PostgresServer() }
            let address = try PostgresAddress(server.address(schema: server.newSchema()))
            var options = PostgresQueueOptions()
            options.lockTime = .milliseconds(400)
            let queue = try await PostgresQueue(address, options: options)
            let held = NewJob.sample().with { $0.dedupeKey = "held" }
            _ = try await queue.add([held])
            let holder = try PostgresConnection(address, PostgresSettings(statementTime: .seconds(300)))
            try holder.execute("UPDATE dedupe SET until = 0; DELETE FROM job")
            try holder.execute("BEGIN; SELECT FROM dedupe FOR UPDATE")
            let writer = queue.intakeWriter
            let calls: [@Sendable () async throws -> [UUID]] = [{ try await queue.add([held]) }]
            let results = try await PostgresWriterGate().together(writer, calls) {
                Task { await writer.close() }
                while writer.isOpen { await Task.yield() }
            }
            #expect(results.map { $0.queueError?.code } == [.conflict])
            let log = try await Blocking.run { try String(contentsOfFile: server.folder + "/log", encoding: .utf8) }
            #expect(log.components(separatedBy: "canceling statement due to lock timeout").count - 1 == 2)
            try holder.execute("ROLLBACK")
            await queue.close()
        }

        /// The last statements go out with the commit. The server does not commit, so this is no commit without an answer.
        @Test func `a lock that is held at the commit is waited for like any other`() async throws {
            let server = try await Blocking.run { try PostgresServer() }
            let address = try PostgresAddress(server.address(schema: server.newSchema()))
            var options = PostgresQueueOptions()
            options.lockTime = .milliseconds(400)
            let queue = try await PostgresQueue(address, options: options)
            let token = NewJob.token(1)
            try await queue.recordGone([GoneToken(token, since: QueueTime(milliseconds: 1))], app: "shop")
            let holder = try PostgresConnection(address, PostgresSettings(statementTime: .seconds(300)))
            try holder.execute("BEGIN; SELECT FROM gone FOR UPDATE")
            let later = GoneToken(token, since: QueueTime(milliseconds: 2))
            let error = await #expect(throws: QueueError.self) { try await queue.recordGone([later], app: "shop") }
            #expect(error?.code == .conflict)
            let log = try await Blocking.run { try String(contentsOfFile: server.folder + "/log", encoding: .utf8) }
            #expect(log.components(separatedBy: "canceling statement due to lock timeout").count - 1 == 17)
            try holder.execute("ROLLBACK")
            try await queue.recordGone([later], app: "shop")
            #expect(try await queue.gone(among: [token], app: "shop").map(\.since) == [later.since])
            await queue.close()
        }
    }
#endif
