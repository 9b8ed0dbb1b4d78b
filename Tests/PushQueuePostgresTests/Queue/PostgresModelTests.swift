import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled))
struct PostgresModelTests {
    @Test(arguments: 0..<16)
    func `PostgreSQL does what the model does, whenever its process is killed`(seed: Int) async throws {
        do {
            try await QueueSettling.with(PostgresQueue.settleQueue) {
                var run = try await ModelRun(.postgres(), seed: UInt64(seed))
                try await run.run(150)
            }
        } catch let mismatch as ModelMismatch {
            Issue.record("seed \(seed), \(mismatch)")
        }
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled))
struct PostgresConformanceTests {
    @Test(arguments: QueueConformance.all)
    func `PostgreSQL keeps the promise that`(check: QueueConformance) async throws {
        try await QueueSettling.with(PostgresQueue.settleQueue) { try await check.run(.postgres()) }
    }
}
