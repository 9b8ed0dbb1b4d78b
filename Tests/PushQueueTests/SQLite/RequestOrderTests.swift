import GRDB
import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

struct RequestOrderTests {
    @Test func `a request whose numbers another process has taken gets others, in its order`() async throws {
        let (folder, clock) = (try QueueFolder(), ManualClock())
        var options = SQLiteQueue.Options()
        options.queue.clock = { clock.now }
        options.queue.uptime = { clock.uptime }
        let queue = try SQLiteQueue(folder.next(), options: options)
        let first = try #require(try await queue.add([.sample()]).first.flatMap { JobKey($0) })
        // Another process is at the same millisecond.
        let other = try DatabaseQueue(path: queue.path)
        try await other.write { database in
            try database.execute(
                sql: """
                    INSERT INTO job (id, tag, app, state, priority, policy, is_due_relative, is_expiry_relative, due, expires, queued)
                    VALUES (?, 1, 99, 0, 1, 0, 1, 0, 0, 1, 0)
                    """, arguments: [first.row + 4])
        }
        try other.close()
        let rows = try await queue.add((0..<10).map { .sample($0) }).compactMap { JobKey($0)?.row }
        #expect(rows.count == 10 && rows[0] != first.row + 1)
        #expect(rows == (0..<10).map { rows[0] + Int64($0) })
        await queue.close()
    }

    @Test func `the numbers of jobs that are due together follow each other, for each due time`() {
        var numbers = RowNumbers()
        let dues = [5, 7, 5, 7, 5].map { QueueTime(milliseconds: $0) }
        var request = RequestNumbers(dues) { due, count in numbers.next(due: due, count: count, random: 9) }
        let rows = dues.map { request.take($0) }
        let (five, seven): (Int64, Int64) = (5 << 20, 7 << 20)
        #expect(rows == [five + 9, seven + 9, five + 10, seven + 10, five + 11])
        #expect(numbers.next(due: 5, random: 0) == five + 12)
    }
}
