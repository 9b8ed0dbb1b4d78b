import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxAgesTests {
    @Test func `only rows of later transactions, and of those that ran, are looked at`() {
        var floor = InboxFloor()
        floor.looked("10:20:10,15", oldest: nil)
        #expect(floor.first == 20 && floor.running == [10, 15])
        // The first row stays, and what ran after it is found behind it.
        floor.looked("10:30:10,25", oldest: 22)
        #expect(floor.first == 22 && floor.running == [10])
        floor.looked("10:30:10,25", oldest: 40)
        #expect(floor.first == 30 && floor.running == [10, 25])
        // The rows of one of them are there, and not taken yet.
        floor.looked("25:31:25", oldest: nil, left: [10])
        #expect(floor.first == 31 && floor.running == [10, 25])
        floor.looked("31:31:", oldest: nil)
        #expect(floor.first == 31 && floor.running == [])
    }

    @Test func `the age of a row is known, also if its transaction commits after younger ones`() async throws {
        let ground = try await InboxGround()
        let slow = try PostgresConnection(ground.address, .patient)
        try slow.execute("BEGIN")
        try ground.enqueue(on: slow)
        #expect(try await ground.inbox.oldest().isEmpty)
        try ground.enqueue()
        #expect(try await ground.inbox.oldest().map(\.app) == ["shop"])
        _ = try await ground.drain()
        #expect(try await ground.inbox.oldest().isEmpty)
        try slow.execute("COMMIT")
        #expect(try await ground.inbox.oldest().map(\.app) == ["shop"])
        _ = try await ground.drain()
        try ground.user.execute("INSERT INTO \(ground.schema).inbox (app, push) VALUES ('shpo', '{}')")
        for _ in 0..<2 { #expect(try await ground.inbox.oldest().map(\.app) == ["shpo"]) }
        await ground.inbox.close()
    }

    @Test func `while a transaction is open, the age does not read the rows that were moved since`() async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let ground = try await InboxGround(server)
        let dump = try PostgresConnection(ground.address, .patient)
        try dump.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM \(ground.schema).inbox")
        try ground.user.execute(
            """
            INSERT INTO \(ground.schema).inbox (app, push) SELECT 'shop', '\(InboxGround.push)'
            FROM generate_series(1, 20000)
            """)
        try ground.user.execute("DELETE FROM \(ground.schema).inbox")
        for _ in 0..<2 { #expect(try await ground.inbox.oldest().isEmpty) }
        let runs = try await Blocking.run { try PlanLog(of: server).runs }
        let pages = runs.filter { $0.statement.contains("here.snapshot") }.map(\.pages)
        #expect(pages.count == 2 && pages[0] > 300 && pages[1] < 50, "\(pages)")
        try dump.execute("ROLLBACK")
        await ground.inbox.close()
    }
}
