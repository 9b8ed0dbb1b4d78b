import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct PostgresInboxTests {
    @Test func `a row exists exactly if its transaction commits`() async throws {
        let ground = try await InboxGround()
        try ground.user.execute("BEGIN")
        try ground.enqueue()
        try ground.user.execute("ROLLBACK; BEGIN; SAVEPOINT here")
        try ground.enqueue()
        try ground.user.execute("ROLLBACK TO SAVEPOINT here")
        let kept = try ground.enqueue()
        try ground.user.execute("COMMIT")
        let rows = try await ground.drain()
        #expect(rows.map(\.id) == [kept])
        #expect(rows.first?.push == Array(InboxGround.push.utf8))
        #expect(rows.first?.isAllowed == true && rows.first?.app == "shop")
        #expect(try await ground.drain().isEmpty)
        await ground.inbox.close()
    }

    @Test(arguments: ["LATIN1", "SQL_ASCII"])
    func `a database where one text could stop all others is refused`(encoding: String) async throws {
        let server = try #require(try PostgresServer.shared())
        let name = "\(encoding.lowercased())_\(server.newSchema())"
        let admin = try PostgresServer.connection()
        try admin.execute("CREATE DATABASE \(name) ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0")
        let text = server.address(schema: "inbox").replacing("/postgres?", with: "/\(name)?")
        let address = try PostgresAddress(text)
        let inbox = PostgresInbox(address, try InboxContract(schema: "inbox"), options: .patient)
        for step in [{ _ = try await inbox.install() }, { _ = try await inbox.check() }] {
            let error = await #expect(throws: QueueError.self) { try await step() }
            #expect(error?.code == .unusable && error?.description.contains(encoding) == true, "\(error as Any)")
        }
        await inbox.close()
    }

    @Test func `a transaction that commits after younger ones is found`() async throws {
        let ground = try await InboxGround()
        let slow = try PostgresConnection(ground.address, .patient)
        try slow.execute("BEGIN")
        let late = try ground.enqueue(on: slow)
        #expect(try await ground.drain().isEmpty)
        let early = try ground.enqueue()
        #expect(try await ground.drain().map(\.id) == [early])
        #expect(try await ground.drain().isEmpty)
        try slow.execute("COMMIT")
        #expect(try await ground.drain().map(\.id) == [late])
        await ground.inbox.close()
    }

    @Test func `a row whose app an administrator corrects is found`() async throws {
        let ground = try await InboxGround()
        let inbox = PostgresInbox(ground.address, ground.inbox.contract, lookPace: .zero, options: .patient)
        try ground.user.execute("INSERT INTO \(ground.schema).inbox (app, push) VALUES ('shpo', '{}')")
        #expect(try await inbox.take(served: ["shop"], from: ["shop"]).isEmpty)
        try ground.user.execute("UPDATE \(ground.schema).inbox SET app = 'shop'")
        #expect(try await inbox.take(served: ["shop"], from: ["shop"]).map(\.app) == ["shop"])
        for inbox in [inbox, ground.inbox] { await inbox.close() }
    }

    @Test func `a prepared transaction counts when it is committed`() async throws {
        let server = try PostgresServer(settings: ["max_prepared_transactions=5"])
        let ground = try await InboxGround(server)
        var ids: [UUID] = []
        for name in ["kept", "undone"] {
            try ground.user.execute("BEGIN")
            ids.append(try ground.enqueue())
            try ground.user.execute("PREPARE TRANSACTION '\(name)'")
        }
        #expect(try await ground.drain().isEmpty)
        try ground.user.execute("ROLLBACK PREPARED 'undone'")
        #expect(try await ground.drain().isEmpty)
        try ground.user.execute("COMMIT PREPARED 'kept'")
        #expect(try await ground.drain().map(\.id) == [ids[0]])
        await ground.inbox.close()
    }

    @Test func `while a dump is open, rows that are gone are not looked at again`() async throws {
        let ground = try await InboxGround()
        let dump = try PostgresConnection(ground.address, .patient)
        try dump.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM \(ground.schema).sender")
        let pushes = "[" + Array(repeating: InboxGround.push, count: 1200).joined(separator: ",") + "]"
        try ground.user.execute("BEGIN")
        let ids = try ground.user.rows(
            "SELECT \(ground.schema).enqueue_all('shop', $1::text::json)", .text(pushes)
        ).map { $0.uuid(0) }
        let number = try ground.user.rows("SELECT pg_current_xact_id()::text").first?.text(0)
        try ground.user.execute("COMMIT")
        #expect(try await ground.drain().map(\.id) == ids, "in the order of the array")
        #expect(ground.inbox.firstTransaction > (try #require(number.flatMap { UInt64($0) })))
        try ground.enqueue()
        #expect(try await ground.drain().count == 1)
        try dump.execute("COMMIT")
        await ground.inbox.close()
    }

    @Test func `while a dump is open, an inbox with rows that stay isn't read from its beginning`() async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let ground = try await InboxGround(server)
        let dump = try PostgresConnection(ground.address, .patient)
        try dump.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM \(ground.schema).sender")
        try ground.user.execute(
            """
            INSERT INTO \(ground.schema).inbox (app, push) SELECT 'shop', '\(InboxGround.push)'
            FROM generate_series(1, 20000)
            """)
        try ground.user.execute("DELETE FROM \(ground.schema).inbox")
        let id = try ground.enqueue()
        for _ in 0..<3 {
            #expect(try await ground.inbox.take(served: ["shop"], from: ["shop"]).map(\.id) == [id])
            await ground.inbox.giveBack()
        }
        let runs = try await Blocking.run { try PlanLog(of: server).runs }
        let polls = runs.filter { $0.statement.hasPrefix("SELECT pg_current_snapshot()::text, ") }.map(\.pages)
        #expect(polls.count == 3 && polls[0] > 300 && polls.dropFirst().allSatisfy { $0 < 100 }, "\(polls)")
        let lists = runs.filter { $0.statement.contains("(xact, id) > ($1") }.map(\.pages)
        #expect(lists.count == 3 && lists.allSatisfy { $0 < 50 }, "\(lists)")
        try dump.execute("COMMIT")
        await ground.inbox.close()
    }

    @Test func `while an older row stays, rows of a transaction that ran for long are taken at once`() async throws {
        let ground = try await InboxGround()
        let slow = try PostgresConnection(ground.address, .patient)
        try slow.execute("BEGIN")
        let late = try ground.enqueue(on: slow)
        let other = PostgresInbox(ground.address, ground.inbox.contract, options: .patient)
        let held = try ground.enqueue()
        #expect(try await other.take(served: ["shop"], from: ["shop"]).map(\.id) == [held])
        let next = try ground.enqueue()
        let rows = try await ground.inbox.take(served: ["shop"], from: ["shop"])
        #expect(rows.map(\.id) == [next])
        try await ground.inbox.clear(rows)
        try slow.execute("COMMIT")
        // Also if it can't be taken at first.
        #expect(try await ground.inbox.take(served: ["shop"], from: []).isEmpty)
        #expect(try await ground.inbox.take(served: ["shop"], from: ["shop"]).map(\.id) == [late])
        await ground.inbox.giveBack()
        for inbox in [other, ground.inbox] { await inbox.close() }
    }

    @Test func `while a dump is open, the position is read without its earlier versions`() async throws {
        let server = try await Blocking.run { try PostgresServer(settings: PlanLog.settings) }
        let ground = try await InboxGround(server)
        let cursors = (0..<3).map { QueueResultCursor(number: $0) }
        #expect(try await ground.inbox.position(of: "q", startingAt: cursors[0]) == cursors[0])
        let dump = try PostgresConnection(ground.address, .patient)
        try dump.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM \(ground.schema).position")
        try ground.user.execute(
            """
            DO $do$ BEGIN FOR number IN 1..5000 LOOP
                UPDATE \(ground.schema).position SET cursor = '1' WHERE queue = 'q';
            END LOOP; END $do$
            """)
        #expect(try await ground.inbox.position(of: "q") == cursors[1])
        #expect(try await ground.inbox.store([], of: "q", from: cursors[0], to: cursors[2]) == false)
        #expect(try await ground.inbox.store([], of: "q", from: cursors[1], to: cursors[2]))
        #expect(try await ground.inbox.position(of: "q") == cursors[2])
        let runs = try await Blocking.run { try PlanLog(of: server).runs }
        let pages = runs.filter { $0.statement.hasPrefix("SELECT cursor") }.map(\.pages).suffix(2)
        #expect(pages.count == 2 && pages.allSatisfy { $0 < 20 }, "\(pages)")
        try dump.execute("COMMIT")
        await ground.inbox.close()
    }

    @Test func `a server that took over with lower transaction numbers has all its rows found`() async throws {
        let ground = try await InboxGround()
        try ground.enqueue()
        #expect(try await ground.drain().count == 1)
        let inserted = try ground.user.rows(
            "INSERT INTO \(ground.schema).inbox (xact, app, push) VALUES ('3', 'shop', '{}') RETURNING id")
        let id = try #require(inserted.first?.uuid(0))
        #expect(try await ground.drain().isEmpty, "on one connection, numbers only grow")
        try ground.user.execute(
            """
            SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND query LIKE '%\(ground.schema).inbox%'
            """)
        // The first try may find that the connection is gone.
        var rows = (try? await ground.drain()) ?? []
        if rows.isEmpty { rows = try await ground.drain() }
        #expect(rows.map(\.id) == [id])
        await ground.inbox.close()
    }

    @Test func `rows that another mover has taken are left out until it gives them back`() async throws {
        let ground = try await InboxGround()
        let other = PostgresInbox(ground.address, ground.inbox.contract, options: .patient)
        let id = try ground.enqueue()
        let rows = try await other.take(served: ["shop"], from: ["shop"])
        #expect(rows.map(\.id) == [id])
        #expect(try await ground.drain().isEmpty)
        await other.giveBack()
        #expect(try await ground.drain().map(\.id) == [id])
        // The places may be those of other rows by now.
        await #expect(throws: QueueError.self) { try await other.clear(rows) }
        await other.close()
        await ground.inbox.close()
    }

    @Test func `rows of other apps stay, and are found when their app is served`() async throws {
        let ground = try await InboxGround()
        try await ground.inbox.grant([.send(app: "news")], to: PostgresServer.user)
        let id = try ground.enqueue(app: "news")
        #expect(try await ground.drain().isEmpty)
        #expect(try await ground.inbox.oldest().map(\.app) == ["news"])
        #expect(try await ground.inbox.check(apps: ["shop"]).contains { $0.contains("\"news\"") })
        #expect(try await ground.inbox.check(apps: ["shop", "news"]).isEmpty)
        let full = try await ground.inbox.take(served: ["news", "shop"], from: ["shop"])
        #expect(full.isEmpty)
        let rows = try await ground.inbox.take(served: ["news", "shop"], from: ["news", "shop"])
        #expect(rows.map(\.id) == [id])
        await ground.inbox.close()
    }

    @Test(arguments: [
        #"{"a":"\u0000"}"#, #"{"a":"\ud800"}"#, #"{"a":1e999999}"#,
        "{\"a\":\"\(String(repeating: "x", count: 199_000))\"}",
        "{\"a\":\(String(repeating: "[", count: 900))\(String(repeating: "]", count: 900))}",
    ])
    func `a row that nobody can send comes out as it went in`(push: String) async throws {
        let ground = try await InboxGround()
        try ground.enqueue(push)
        #expect(try await ground.drain().map(\.push) == [Array(push.utf8)])
        await ground.inbox.close()
    }

    @Test(arguments: ["infinity", "-infinity", "4713-01-01 BC", "294276-12-31"])
    func `a row with any time is moved, and holds up no other`(time: String) async throws {
        let ground = try await InboxGround()
        try ground.user.execute(
            "INSERT INTO \(ground.schema).inbox (app, push, at) VALUES ('shop', '{}', '\(time)')")
        try ground.enqueue()
        _ = try await ground.inbox.oldest()
        #expect(try await ground.drain().count == 2)
        await ground.inbox.close()
    }

    @Test func `what is taken at once has bounds`() async throws {
        let ground = try await InboxGround()
        let push = "{\"a\":\"\(String(repeating: "x", count: 150_000))\"}"
        for _ in 0..<40 { try ground.enqueue(push) }
        let rows = try await ground.inbox.take(served: ["shop"], from: ["shop"])
        #expect(rows.count == PostgresInbox.maximumBytes / push.utf8.count)
        try await ground.inbox.clear(rows)
        #expect(try await ground.drain().count == 40 - rows.count)
        await ground.inbox.close()
    }

    @Test func `a push that is no object, or too large, is refused at the call`() async throws {
        let ground = try await InboxGround()
        let long = "{\"a\":\"\(String(repeating: "x", count: 200_000))\"}"
        for push in ["[]", "1", "null", long] {
            #expect(throws: QueueError.self) { try ground.enqueue(push) }
        }
        #expect(try await ground.drain().isEmpty)
        await ground.inbox.close()
    }

    // MARK: Installing

    @Test func `an installation can be repeated, in a schema of any name, beside a queue`() async throws {
        let ground = try await InboxGround(schema: #" "it's" \ Ünique"#)
        try await ground.inbox.install()
        #expect(try await ground.inbox.check().isEmpty)
        let name = try await ground.inbox.name(earlier: "other")
        #expect(name.count == 8)
        let id = try ground.enqueue()
        #expect(try await ground.drain().map(\.id) == [id])
        await ground.inbox.close()
        let same = try await InboxGround()
        let queue = try await PostgresQueue(same.address, options: .patient)
        #expect(try await queue.counts().isEmpty)
        await queue.close()
        await same.inbox.close()
    }

    @Test func `what is missing is said, and what to do`() async throws {
        let ground = try await InboxGround()
        let elsewhere = PostgresInbox(ground.address, try InboxContract(schema: "no such schema"), options: .patient)
        let missing = await #expect(throws: QueueError.self) { _ = try await elsewhere.check() }
        let noRole = await #expect(throws: QueueError.self) { try await ground.inbox.grant([.outcomes], to: "nobody") }
        #expect(noRole?.code == .invalid)
        #expect(missing?.code == .missing && missing?.description.contains("pushserve inbox install") == true)
        try ground.user.execute("COMMENT ON TABLE \(ground.schema).inbox IS 'pushserve inbox, format 99'")
        let newer = await #expect(throws: QueueError.self) { _ = try await ground.inbox.check() }
        #expect(newer?.code == .newerVersion)
        await elsewhere.close()
        await ground.inbox.close()
    }

    @Test func `a table of positions that was emptied is noticed, and its name comes back`() async throws {
        let ground = try await InboxGround()
        let name = try await ground.inbox.name(earlier: nil)
        try ground.user.execute("TRUNCATE \(ground.schema).position")
        let problems = try await ground.inbox.check()
        #expect(problems.count == 1 && problems[0].contains("\"position\""), "\(problems)")
        #expect(try await ground.inbox.position(of: "q") == nil)
        #expect(try await ground.inbox.name(earlier: name) == name)
        for cursor in ["x", "007", ""] {
            try ground.user.execute(
                "INSERT INTO \(ground.schema).position (queue, cursor) VALUES ('\(cursor) q', '\(cursor)')")
            let inbox = ground.inbox
            let error = await #expect(throws: QueueError.self) { _ = try await inbox.position(of: "\(cursor) q") }
            #expect(error?.description.contains("Delete its row") == true)
        }
        #expect(try await ground.inbox.check().isEmpty)
        await ground.inbox.close()
    }

    @Test func `without a schema of its own, an inbox is in that of its address`() throws {
        let address = try PostgresAddress("postgres://h/d?schema=shop")
        #expect(try InboxContract(in: address).schema == "shop")
        #expect(try InboxContract(schema: "other", in: address).schema == "other")
        #expect(try InboxContract(in: PostgresAddress("postgres://h/d")).schema == "pushserve")
    }

    @Test(arguments: ["", "a$b", "a\nb", "pg_x", String(repeating: "a", count: 51)])
    func `a schema that the functions cannot have is refused`(name: String) {
        #expect(throws: QueueError.self) { try InboxContract(schema: name) }
    }
}
