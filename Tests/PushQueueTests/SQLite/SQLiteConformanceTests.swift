import QueueConformance
import Testing

@testable import PushQueue

struct SQLiteConformanceTests {
    @Test(arguments: QueueConformance.all)
    func `SQLite keeps the promise that`(check: QueueConformance) async throws {
        try await check.run(.sqlite())
    }
}
