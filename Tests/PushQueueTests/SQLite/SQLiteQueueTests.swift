import GRDB
import PushPlatform
import QueueConformance
import Testing

@testable import PushQueue

struct SQLiteQueueTests {
    private func number(_ queue: SQLiteQueue, _ sql: String) async throws -> Int64 {
        try await queue.writer.write { (transaction) throws(QueueError) in try transaction.sql.number(sql) }
    }

    @Test func `commits wait for the disk`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        #expect(try await number(queue, "PRAGMA synchronous") == 2)
        let journal = try await queue.writer.write { (transaction) throws(QueueError) in
            try transaction.sql.text("PRAGMA journal_mode")
        }
        #expect(journal == "wal")
        await queue.close()
    }

    @Test func `two processes share a file, and no job goes to both`() async throws {
        let folder = try QueueFolder()
        let first = try SQLiteQueue(folder.next())
        let second = try SQLiteQueue(first.path)
        let queues = [first, second]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await queues[number % 2].add((0..<10).map { .sample(number * 10 + $0) })
                }
            }
            try await group.waitForAll()
        }
        let claimed = try await withThrowingTaskGroup(of: [UUID].self) { group in
            for number in 0..<8 { group.addTask { try await queues[number % 2].claim(30).map(\.id) } }
            return try await group.reduce(into: [UUID]()) { $0 += $1 }
        }
        #expect(claimed.count == 200 && Set(claimed).count == 200)
        #expect(try await first.counts() == second.counts())
        for queue in queues { await queue.close() }
    }

    @Test func `a cursor from before a restore passes over no outcome of the restored file`() async throws {
        func finish(_ count: Int, _ queue: SQLiteQueue) async throws -> [UUID] {
            _ = try await queue.add((0..<count).map { .sample($0) })
            let jobs = try await queue.startAll()
            for job in jobs { #expect(try await queue.complete(job, .accepted) == .done) }
            return jobs.map(\.id)
        }
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        _ = try await finish(2, queue)
        let backup = try folder.copy(queue.path)
        _ = try await finish(3, queue)
        let cursor = try await queue.results(of: ["shop"], after: .start, limit: 9).next
        await queue.close()
        let restored = try SQLiteQueue(backup)
        let ids = try await finish(5, restored)
        let page = try await restored.results(of: ["shop"], after: cursor, limit: 9)
        #expect(page.items.map(\.id) == ids && !page.hasGap)
        await restored.close()
    }

    @Test func `a payload is stored once, and goes with its last job`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        let ids = try await queue.add((0..<5).map { .sample($0) })
        _ = try await queue.add([.sample(9)])
        _ = try await queue.add([.sample(9, payload: "another")])
        #expect(try await number(queue, "SELECT count(*) FROM payload") == 2)
        #expect(try await number(queue, "SELECT max(uses) FROM payload") == 6)
        _ = try await queue.cancel(ids, app: "shop")
        _ = try await queue.dropFinished(before: .zero, limit: 10)
        #expect(try await number(queue, "SELECT max(uses) FROM payload") == 1)
        _ = try await queue.purge(token: NewQueueJob.token(9), app: nil)
        #expect(try await number(queue, "SELECT count(*) FROM payload") == 0)
        #expect(try await number(queue, "SELECT count(*) FROM content") == 0)
        await queue.close()
    }

    @Test func `a payload that is used again is found by other processes, and after thousands of others`()
        async throws
    {
        let folder = try QueueFolder()
        let first = try SQLiteQueue(folder.next())
        _ = try await first.add([.sample(1), .sample(2)])
        await first.close()
        let queues = [try SQLiteQueue(first.path), try SQLiteQueue(first.path)]
        for queue in queues { _ = try await queue.add([.sample(3)]) }
        #expect(try await number(queues[0], "SELECT count(*) FROM payload") == 1)
        #expect(try await number(queues[0], "SELECT uses FROM payload") == 4)
        // A payload of one job is known only to the process that has stored it.
        for queue in queues + queues { _ = try await queue.add([.sample(4, payload: "alone")]) }
        #expect(try await number(queues[0], "SELECT count(*) FROM payload") == 3)
        #expect(try await number(queues[0], "SELECT sum(uses) FROM payload") == 8)
        for queue in queues { await queue.close() }
    }

    @Test func `payloads with the same digest are not mixed up`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        _ = try await queue.add([.sample(1, payload: "one"), .sample(2, payload: "one")])
        _ = try await queue.add([.sample(3, payload: "two")])
        try await queue.writer.write { (transaction) throws(QueueError) in
            let digest = try transaction.sql.number("SELECT digest FROM payload ORDER BY id DESC LIMIT 1")
            try transaction.sql.execute("UPDATE payload SET digest = \(digest)")
        }
        _ = try await queue.add([.sample(4, payload: "two")])
        let payloads = try await queue.claim().map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(payloads == ["one", "one", "two", "two"])
        await queue.close()
    }

    @Test func `a token is found in all slices, and another token with its mark stays`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        _ = try await queue.add((0..<600).map { .sample($0) })
        _ = try await queue.add([.sample(7)], app: "bank")
        try await queue.writer.write { (transaction) throws(QueueError) in
            // The mark of another token is made the same.
            let mark = StoredTarget(.device(NewQueueJob.token(7))).mark
            try transaction.sql.execute(
                """
                UPDATE content SET mark = \(mark) WHERE target = x'\(NewQueueJob.token(8))';
                UPDATE content SET bucket = 9 WHERE job IN (SELECT job FROM content ORDER BY job LIMIT 300);
                """)
            // The slice is full.
            transaction.cache.slice.free = 0
        }
        _ = try await queue.add([.sample(7)])
        #expect(try await number(queue, "SELECT count(DISTINCT bucket) FROM content") == 3)
        // The next process goes on with the last slice, and counts what is in it.
        try await queue.writer.write { (transaction) throws(QueueError) in transaction.cache.slice = (0, 0) }
        _ = try await queue.add([.sample(601)])
        #expect(try await number(queue, "SELECT count(DISTINCT bucket) FROM content") == 3)
        let slice = try await queue.writer.write { (transaction) throws(QueueError) in transaction.cache.slice }
        #expect(slice.free == QueueSchema.sizeOfSlice - 2)
        var query = QueueJobQuery(app: "shop", filter: .target(.device(NewQueueJob.token(7))), limit: 1)
        var listed: [UUID] = []
        repeat {
            let page = try await queue.jobs(query)
            listed += page.items.map(\.id)
            query.after = page.next
        } while query.after != nil
        #expect(listed.count == 2 && Set(listed).count == 2)
        #expect(try await queue.purge(token: NewQueueJob.token(7), app: nil) == 3)
        #expect(try await queue.counts()["shop"]?.waiting == 600)
        await queue.close()
    }

    @Test func `a lease goes with its last job`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        _ = try await queue.add((0..<3).map { .sample($0) })
        let jobs = try await queue.startAll()
        _ = try await queue.complete(jobs[0], .accepted)
        _ = try await queue.retry([QueueJobRetry(jobs[1].lease, due: .after(.seconds(60)), reason: "x")])
        #expect(try await number(queue, "SELECT held FROM lease") == 1)
        _ = try await queue.complete(jobs[2], QueueJobOutcome(.notSent, reason: "x"))
        #expect(try await number(queue, "SELECT count(*) FROM lease") == 0)
        await queue.close()
    }

    @Test func `what was purged is in none of the files`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        let token = String(repeating: "5e", count: 32)
        let secret = "the secret payload of one device"
        _ = try await queue.add(
            [NewQueueJob(to: .device(token), payload: Array(secret.utf8))] + (0..<9).map { .sample($0) })
        func isStored() throws -> Bool {
            let needles = [Data(secret.utf8), Data(repeating: 0x5E, count: 32)]
            return try ["", "-wal"].contains { suffix in
                let data = try Data(contentsOf: URL(filePath: queue.path + suffix))
                return needles.contains { data.firstRange(of: $0) != nil }
            }
        }
        #expect(try isStored())
        #expect(try await queue.purge(token: token, app: nil) == 1)
        #expect(try !isStored())
        await queue.close()
    }

    @Test func `the lines of a campaign, and of the others that have not ended, decide how many may be refused`()
        async throws
    {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        func change(_ sql: String) async throws {
            try await queue.writer.write { (transaction) throws(QueueError) in try transaction.sql.execute(sql) }
        }
        /// Makes a campaign with these numbers of lines and refused lines, and adds another line that is refused.
        func refuseOne(lines: Int, refused: Int) async throws -> QueueLinesAnswer {
            guard case .created(let made) = try await queue.createCampaign(NewQueueCampaign("sale", app: "shop")) else {
                throw Unexpected()
            }
            try await change(
                """
                UPDATE campaign SET lines = \(lines), refused = \(refused) WHERE id = (SELECT max(id) FROM campaign)
                """)
            let line = QueueCampaignLine(1, .refused(QueueLineRefusal(code: "code", detail: "why")))
            return try await queue.addLines([line], to: made.id, app: "shop")
        }
        let done = QueueLinesAnswer.done([.refused(QueueLineRefusal(code: "code", detail: "why"))])
        #expect(try await refuseOne(lines: 99, refused: 100_000) == .tooManyRefused(.ofCampaign))
        #expect(try await refuseOne(lines: 100_001, refused: 100_000) == done)
        #expect(try await refuseOne(lines: 0, refused: 300_000) == .tooManyRefused(.ofCampaign))
        #expect(try await refuseOne(lines: 0, refused: 0) == .tooManyRefused(.ofApp))
        try await change("UPDATE campaign SET state = 5, is_open = 0 WHERE refused = 300000")
        #expect(try await refuseOne(lines: 0, refused: 0) == done)
        await queue.close()
    }

    @Test func `a claim and an expiry use the partial index, and sort nothing`() async throws {
        let folder = try QueueFolder()
        let queue = try SQLiteQueue(folder.next())
        await queue.close()
        let database = try DatabaseQueue(path: queue.path)
        func plan(_ sql: SQLText, _ arguments: StatementArguments) throws -> String {
            try database.read { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql.text, arguments: arguments)
                    .map { $0["detail"] as String }.joined(separator: "\n")
            }
        }
        let claim = try plan(.due, [1, 1, 1, 10])
        #expect(claim.contains("SEARCH job USING INDEX job_waiting (app=? AND priority=? AND due<?)"))
        #expect(claim.contains("SEARCH content USING INTEGER PRIMARY KEY") && !claim.contains("TEMP B-TREE"))
        let ofTarget = try plan(.jobsOfTarget, [1, 1, 1, 9, 10])
        #expect(
            ofTarget
                == "SEARCH content USING COVERING INDEX content_target (bucket=? AND mark=? AND rowid>? AND rowid<?)")
        let lastSlice = try plan(.lastSlice, [1])
        #expect(lastSlice == "SEARCH content USING COVERING INDEX content_target (bucket<?)")
        let overdue = try plan(.overdue, [1, 1, 1, 10])
        #expect(
            overdue.contains("USING INDEX job_waiting (app=? AND priority=? AND due<?)")
                && !overdue.contains("TEMP B-TREE"))
    }
}
