import QueueConformance
import Testing

@testable import PushQueue

struct SQLiteModelTests {
    @Test(arguments: 0..<16)
    func `SQLite does what the model does, whenever its process is killed`(seed: Int) async throws {
        do {
            var run = try await ModelRun(.sqlite(), seed: UInt64(seed))
            try await run.run(150)
        } catch let mismatch as ModelMismatch {
            Issue.record("seed \(seed), \(mismatch)")
        }
    }
}

struct SQLiteConformanceTests {
    @Test(arguments: QueueConformance.all)
    func `SQLite keeps the promise that`(check: QueueConformance) async throws {
        try await check.run(.sqlite())
    }
}
