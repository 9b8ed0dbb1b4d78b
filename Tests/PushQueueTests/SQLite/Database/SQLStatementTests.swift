import GRDB
import GRDBSQLite
import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

struct SQLStatementTests {
    @Test func `a value that SQLite does not take is refused, and nothing is stored in its place`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        let value = [UInt8](repeating: 7, count: 5000)
        _ = try await queue.store([1], kind: "key", key: "a", ifVersion: nil)
        try await queue.writer.write { (transaction) throws(QueueError) in
            _ = sqlite3_limit(transaction.sql.handle.pointer, SQLITE_LIMIT_LENGTH, 4000)
        }
        await #expect {
            try await queue.store(value, kind: "key", key: "a", ifVersion: nil)
        } throws: {
            ($0 as? QueueError)?.code == .tooLarge
        }
        await #expect {
            try await queue.recordGone([], app: String(repeating: "x", count: 5000))
        } throws: {
            ($0 as? QueueError)?.code == .tooLarge
        }
        #expect(try await queue.record(kind: "key", key: "a")?.value == [1])
        #expect(try await queue.add([.sample()]).count == 1)
        await queue.close()
    }
}
