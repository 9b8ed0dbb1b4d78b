import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled))
struct PostgresConformanceTests {
    @Test(arguments: QueueConformance.all)
    func `PostgreSQL keeps the promise that`(check: QueueConformance) async throws {
        try await QueueSettling.with(PostgresQueue.settleQueue) { try await check.run(.postgres()) }
    }
}
