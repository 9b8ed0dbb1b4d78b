import Dispatch
import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct ResultOrderTests {
    private func finish(_ queue: PostgresQueue, app: String = "shop") async throws -> UUIDText {
        _ = try await queue.add([.sample()], app: app)
        let job = try await queue.startAll(app: app)[0]
        #expect(try await queue.complete(job, .accepted) == .done)
        return UUIDText(job)
    }

    private struct UUIDText: Equatable {
        let text: String

        init(_ job: ClaimedQueueJob) { text = "\(job.id)" }
        init(_ record: QueueJobRecord) { text = "\(record.id)" }
    }

    @Test func `a cursor waits for a writer that began earlier and commits later`() async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let queue = try await PostgresQueue(address, options: .patient)
        // The transaction of another worker, which has its number and is not committed.
        let slow = PostgresThread(name: "slow", address: address, settings: .patient)
        try await slow.run { (connection) throws(QueueError) in
            try connection.execute("BEGIN")
            _ = try connection.run(.joinWriters)
            try connection.execute("UPDATE queue SET checked = checked + 1")
        }
        let id = try await finish(queue)
        #expect(try await queue.results(of: ["shop"], after: .start, limit: 9).items.isEmpty)
        #expect(try await queue.resultsEnd() < QueueResultCursor(number: .max))
        try await slow.run { (connection) throws(QueueError) in try connection.execute("COMMIT") }
        try await queue.settleCommits()
        #expect(try await queue.results(of: ["shop"], after: .start, limit: 9).items.map(UUIDText.init) == [id])
        await slow.stop()
        await queue.close()
    }

    /// A transaction that stores the outcome of a job. The test decides when it commits.
    private struct LateOutcome: Sendable {
        let written = Watched(false)
        private let gate = DispatchSemaphore(value: 0)

        /// Runs on a thread of its own, which waits.
        func run(_ job: ClaimedQueueJob, at address: PostgresAddress) async throws {
            let thread = PostgresThread(name: "late", address: address, settings: .patient)
            try await thread.run { (connection) throws(QueueError) in
                let transaction = try PostgresTransaction(
                    connection, address, cache: PostgresCache(), options: .patient)
                let results = try transaction.complete([QueueJobCompletion(job.lease, .accepted)])
                guard results == [.done] else { throw QueueError(.defect, "\(results)") }
                try transaction.prepareCommit()
                // Everything that waits goes to the server, and not the commit.
                _ = try transaction.query([])
                written.change { $0 = true }
                // If the test fails before it says so, the thread must not wait for ever.
                _ = gate.wait(timeout: .now() + 500)
                try transaction.commit()
            }
            await thread.stop()
        }

        func commit() { gate.signal() }
    }

    /// What a reader has seen that goes on from its cursor.
    private struct Reader {
        let queue: PostgresQueue
        var cursor = QueueResultCursor.start
        var seen: [UUID] = []

        mutating func read() async throws {
            let page = try await queue.results(of: ["shop", "late"], after: cursor, limit: 7)
            #expect(!page.hasGap)
            #expect(page.cursors.allSatisfy { $0 > cursor } && page.cursors == page.cursors.sorted())
            seen += page.items.map(\.id)
            cursor = page.next
        }
    }

    /// Gives jobs their outcomes, a few at a time.
    private static func work(_ queue: PostgresQueue, rounds: Int) async throws {
        for _ in 0..<rounds {
            _ = try await queue.add((0..<3).map { .sample($0) })
            var jobs: [ClaimedQueueJob] = []
            // A worker passes over jobs that another one is just claiming.
            while jobs.count < 3 {
                try Task.checkCancellation()
                jobs += try await queue.claim(3 - jobs.count)
            }
            _ = try await queue.start(jobs.map(\.lease))
            let done = try await queue.complete(jobs.map { QueueJobCompletion($0.lease, .accepted) })
            #expect(done.allSatisfy { $0 == .done })
        }
    }

    @Test func `a reader sees each outcome of several workers once, also one that is committed late`() async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        var queues: [PostgresQueue] = []
        for _ in 0..<3 { queues.append(try await PostgresQueue(address, options: .patient)) }
        var reader = Reader(queue: queues[2])
        var (expected, lateIDs): (Int, [UUID]) = (0, [])
        for _ in 0..<4 {
            // Before the late transaction begins, the reader is in the middle of the list.
            try await Self.work(queues[0], rounds: 2)
            try await reader.read()
            lateIDs += try await queues[0].add([.sample(99)], app: "late")
            let job = try #require(try await queues[0].startAll(app: "late").first)
            let late = LateOutcome()
            async let running: Void = late.run(job, at: address)
            try await late.written.wait(for: "the late outcome is written") { $0 }
            let workers = [queues[0], queues[1]]
            async let working: Void = withThrowingTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { try await Self.work(worker, rounds: 5) } }
                try await group.waitForAll()
            }
            // It reads while the others go on, and afterwards.
            for _ in 0..<10 { try await reader.read() }
            try await working
            for _ in 0..<10 { try await reader.read() }
            #expect(!reader.seen.contains(lateIDs[lateIDs.count - 1]))
            late.commit()
            try await running
            expected += 2 * 3 + 2 * 5 * 3 + 1
            while reader.seen.count < expected {
                try Task.checkCancellation()
                try await reader.read()
            }
        }
        try await reader.read()
        #expect(reader.seen.count == expected && Set(reader.seen).count == expected)
        #expect(Set(reader.seen).isSuperset(of: lateIDs))
        let counts = try await queues[0].counts()
        #expect((counts["shop"]?.accepted ?? 0) + (counts["late"]?.accepted ?? 0) == expected)
        for queue in queues { await queue.close() }
    }

    @Test func `a cursor from before a restore passes over no outcome of the restored server`() async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let queue = try await PostgresQueue(address, options: .patient)
        let administrator = try PostgresConnection(address, .patient)
        try administrator.execute("UPDATE queue SET base = greatest(base, 1000000)")
        for _ in 0..<3 { _ = try await finish(queue) }
        try await queue.settleCommits()
        let cursor = try await queue.results(of: ["shop"], after: .start, limit: 9).next
        await queue.close()
        // The server has the files of an earlier time, and counts its transactions from there. So it was started since.
        try administrator.execute(
            """
            DELETE FROM finished; DELETE FROM content;
            UPDATE queue SET base = base - 1000000, cluster = split_part(cluster, ' ', 1) || ' 1'
            """)
        let restored = try await PostgresQueue(address, options: .patient)
        var ids: [UUIDText] = []
        for _ in 0..<5 { ids.append(try await finish(restored)) }
        try await restored.settleCommits()
        let page = try await restored.results(of: ["shop"], after: cursor, limit: 9)
        #expect(page.items.map(UUIDText.init) == ids && !page.hasGap)
        await restored.close()
    }

    @Test func `a transaction of another program holds no results back`() async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let queue = try await PostgresQueue(address, options: .patient)
        let other = PostgresThread(name: "other", address: address, settings: .patient)
        try await other.run { (connection) throws(QueueError) in
            try connection.execute("BEGIN; CREATE TABLE of_another_program (id int8)")
        }
        let id = try await finish(queue)
        try await queue.settleCommits()
        #expect(try await queue.results(of: ["shop"], after: .start, limit: 9).items.map(UUIDText.init) == [id])
        await other.stop()
        await queue.close()
    }
}
