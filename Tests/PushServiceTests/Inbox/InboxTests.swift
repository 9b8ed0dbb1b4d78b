import Logging
import PushDelivery
import PushJSON
import PushPlatform
import PushQueue
import PushTime
import ServiceLifecycle
import TestSupport
import Testing

@testable import PushQueuePostgres
@testable import PushService

/// An inbox in PostgreSQL and a service whose queue is a SQLite file.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxTests {
    private static let token = String(repeating: "a", count: 64)

    private struct Ground {
        let service: RunningService
        let inbox: PostgresInbox
        let user: PostgresConnection
        let schema: String
        let name: String
        var mover: InboxMover

        /// Moves rows until there are none.
        mutating func move() async throws {
            while try await mover.round() {}
        }

        func enqueue(_ push: String, app: String = "shop") throws -> UUID {
            let statement = PostgresText("SELECT \(schema).enqueue($1::text, $2::text::json)")
            let row = try user.run(PostgresStatement(statement, [.text(app), .text(push)])).first
            return try #require(row?.uuid(0))
        }

        func outcome(_ id: UUID) async throws -> QueueJobOutcome? {
            try await service.queue.jobs([id], app: "shop").first?.outcome
        }

        func feed(_ logger: Logger = .silent, accepted: Bool = true) -> InboxFeed {
            InboxFeed(
                inbox, service.service.api.parts, name: name, queue: "q", includesAccepted: accepted, logger)
        }

        /// The tokens of the rows of outcomes, by their reason or outcome.
        func tokens() throws -> [String: [String]] {
            let statement = PostgresText(
                "SELECT coalesce(reason, outcome), token FROM \(schema).outcome WHERE token IS NOT NULL ORDER BY token")
            let rows = try user.run(PostgresStatement(statement, [])).map { ($0.text(0), $0.text(1)) }
            return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
        }

        func outcomes() throws -> [UUID: String] {
            let statement = PostgresText("SELECT id, coalesce(reason, outcome) FROM \(schema).outcome")
            return Dictionary(
                try user.run(PostgresStatement(statement, [])).map { ($0.uuid(0), $0.text(1)) },
                uniquingKeysWith: { $1 })
        }
    }

    private func with(
        longestWait: Duration = .seconds(1000), apps: [String: AppSettings] = RunningService.apps,
        _ change: (inout APIConfiguration) -> Void = { _ in },
        _ body: (inout Ground) async throws -> Void
    ) async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let contract = try InboxContract(schema: address.schema)
        let inbox = PostgresInbox(address, contract)
        try await inbox.install()
        try await inbox.grant([.send(app: "shop")], to: PostgresServer.user)
        let user = try PostgresConnection(
            address, PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300)))
        let name = try await inbox.name(earlier: nil)
        try await RunningService.with(apps: apps, inboxes: [inbox], change) { service in
            let mover = InboxMover(inbox, service.service.api.parts, name: name, longestWait: longestWait)
            var ground = Ground(
                service: service, inbox: inbox, user: user, schema: contract.quoted, name: name, mover: mover)
            try await ground.feed().begin()
            try await body(&ground)
        }
        await inbox.close()
    }

    private static func push(_ more: String = "", token: String = token) -> String {
        #"{"token":"\#(token)","payload":{"aps":{"alert":"Hello"}}\#(more)}"#
    }

    @Test func `a row becomes a job with the id that the call returned, and its outcome comes back`() async throws {
        try await with { ground in
            let id = try ground.enqueue(Self.push())
            try await ground.move()
            #expect(try await ground.service.queue.jobs([id], app: "shop").first?.state == .waiting)
            try await ground.service.deliver()
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.outcomes() == [id: "accepted"])
        }
    }

    @Test func `what cannot be sent is an outcome with its cause, and stops nothing`() async throws {
        try await with { ground in
            let bad = [
                Self.push(token: "xyz"), Self.push(#","colour":1"#), #"{"payload":"\u0000"}"#, #"{"token":"\ud800"}"#,
                Self.push(#","ttl":1e999999"#), Self.push(#","app":"news""#), "{}",
                "{\"a\":\(String(repeating: "[", count: 900))\(String(repeating: "]", count: 900))}",
                "{\"a\":\"\(String(repeating: "x", count: 199_000))\"}",
            ]
            let invalid = try bad.map { try ground.enqueue($0) }
            let first = try ground.enqueue(Self.push(#","dedupe_key":"d""#))
            let second = try ground.enqueue(Self.push(#","dedupe_key":"d""#))
            let good = try ground.enqueue(Self.push())
            try ground.user.execute(
                "INSERT INTO \(ground.schema).inbox (app, push, role) VALUES ('shop', '{}', 'nobody')")
            try await ground.move()
            for (id, push) in zip(invalid, bad) {
                let outcome = try await ground.outcome(id)
                #expect(outcome?.kind == .notSent && outcome?.reason == "invalid", "\(push.prefix(60))")
            }
            #expect(try await ground.outcome(invalid[0])?.detail?.hasPrefix("invalid_token /token: ") == true)
            #expect(try await ground.outcome(second)?.reason == "duplicate")
            #expect(try await ground.outcome(second)?.detail?.contains(JobAnswer.text(first)) == true)
            #expect(try await ground.outcome(good) == nil)
            var feed = ground.feed(accepted: false)
            try await feed.round()
            let outcomes = try ground.outcomes()
            #expect(outcomes.count == invalid.count + 2 && outcomes.values.contains("forbidden"))
        }
    }

    @Test func `a row whose deletion was lost is not sent twice, nor one whose mover failed before it`() async throws {
        try await with { ground in
            let id = try ground.enqueue(Self.push(#","dedupe_key":"d""#))
            let schema = ground.schema
            try ground.user.execute(
                """
                CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
                CREATE TRIGGER fail BEFORE DELETE ON \(schema).inbox FOR EACH ROW EXECUTE FUNCTION \(schema).fail()
                """)
            var mover = ground.mover
            await #expect(throws: QueueError.self) { _ = try await mover.round() }
            try ground.user.execute("DROP TRIGGER fail ON \(schema).inbox")
            try await ground.move()
            try await ground.service.deliver()
            // As after a crash of a server that has not written the deletion.
            try ground.user.execute(
                "INSERT INTO \(schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(Self.push())')")
            try await ground.move()
            #expect(try await ground.service.queue.counts()["shop"]?.accepted == 1)
            #expect(try await ground.service.queue.counts()["shop"]?.unfinished == 0)
            #expect(try await ground.outcome(id)?.kind == .accepted)
        }
    }

    @Test func `the connection of a mover that has taken rows can break`() async throws {
        try await with { ground in
            let id = try ground.enqueue(Self.push())
            let rows = try await ground.inbox.take(served: ["shop"], from: ["shop"])
            #expect(rows.map(\.id) == [id])
            try ground.user.execute(
                """
                SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                WHERE state = 'idle in transaction' AND query LIKE '%\(ground.schema)%'
                """)
            let inbox = ground.inbox
            await #expect(throws: QueueError.self) { try await inbox.clear(rows) }
            try await ground.move()
            #expect(try await ground.service.queue.jobs([id], app: "shop").count == 1)
        }
    }

    @Test func `two pushes that would have the same place in the queue are both sent`() async throws {
        try await with { ground in
            let row = (try await ground.service.queue.now().milliseconds) << 20 | 7
            let ids =
                (1...2).map { JobKey(row: row, tag: $0).id } + [UUID(0x1234_5678_0000_4000, 0x8000_0000_0000_0001)]
            for _ in 1...2 {
                for id in ids {
                    try ground.user.execute(
                        "INSERT INTO \(ground.schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(Self.push())')")
                }
                try await ground.move()
            }
            #expect(try await ground.service.deliver() == 3)
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.outcomes() == Dictionary(uniqueKeysWithValues: ids.map { ($0, "accepted") }))
        }
    }

    @Test func `among pushes that replace each other, one for later has the place of its delivery time`() async throws {
        try await with { ground in
            let now = try await ground.service.queue.now()
            let due = QueueTime(milliseconds: (now + .seconds(3600)).milliseconds / 1000 * 1000)
            let time = RFC3339.text(millisecondsSince1970: due.milliseconds)
            let (collapse, later) = (#","collapse_id":"score""#, #","deliver_at":"\#(time)""#)
            let ids = try ["", collapse, later, collapse + later].map { try ground.enqueue(Self.push($0)) }
            try await ground.move()
            let jobs = try await ground.service.queue.jobs(ids, app: "shop")
            let places = ids.map { id in
                jobs.first { $0.id == id }.flatMap { PushDetails(encoded: $0.push)?.after }
            }
            #expect(places.prefix(3).allSatisfy { $0 == nil })
            let place = try #require(places[3])
            #expect((JobKey(place)?.row ?? 0) >> 20 == due.milliseconds)
            #expect(place > JobKey(row: (due.milliseconds - 1) << 20 | 0xFFFFF, tag: 0).id)
            #expect(place < JobKey(row: (due.milliseconds + 1) << 20, tag: 0).id)
        }
    }

    // MARK: Users

    private static func toUser(_ user: String, _ more: String = "") -> String {
        #"{"user":"\#(user)","payload":{"aps":{"alert":"Hello"}}\#(more)}"#
    }

    private static func devices(_ numbers: Int...) -> [RecipientDevice] {
        numbers.map { RecipientDevice(TeamTable.token($0)) }
    }

    @Test func `a push to a user becomes one for each device, and one of them has the id of the call`() async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1, 2, 3) }
        try await with(apps: table.apps()) { ground in
            let id = try ground.enqueue(Self.toUser("42", #","dedupe_key":"d""#))
            let again = try ground.enqueue(Self.toUser("42", #","dedupe_key":"d""#))
            let nobody = try ground.enqueue(Self.toUser("7"))
            let wrong = try ground.enqueue(Self.toUser("wrong"))
            let token = try ground.enqueue(Self.push())
            try await ground.move()
            #expect(try await ground.service.deliver() == 4)
            var feed = ground.feed()
            try await feed.round()
            let rows = try ground.tokens()
            #expect(rows["accepted"] == [Self.token] + (1...3).map { TeamTable.token($0) })
            #expect(rows["duplicate"] == (1...3).map { TeamTable.token($0) })
            #expect(try ground.outcomes()[id] == "accepted")
            #expect(try ground.outcomes()[again] == "duplicate")
            #expect(try ground.outcomes()[token] == "accepted")
            #expect(try await ground.outcome(nobody)?.reason == "no_device")
            #expect(try await ground.outcome(wrong)?.reason == "invalid")
            #expect(try await ground.outcome(wrong)?.detail?.hasPrefix("invalid_user /user: ") == true)
        }
    }

    @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 3], [4, 1, 2, 3], [4], []])
    func `each device gets a push to a user once, also if the row is moved again and there are other devices`(
        later: [Int]
    ) async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1, 2, 3) }
        try await with(apps: table.apps()) { ground in
            let id = try ground.enqueue(Self.toUser("42"))
            try await ground.move()
            table.change { $0.users["42"] = later.map { RecipientDevice(TeamTable.token($0)) } }
            for isFinished in [false, true] {
                if isFinished { try await ground.service.deliver() }
                // As after a kill of the mover before the row was deleted.
                try ground.user.execute(
                    "INSERT INTO \(ground.schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(Self.toUser("42"))')"
                )
                try await ground.move()
            }
            try await ground.service.deliver()
            var feed = ground.feed()
            try await feed.round()
            let expected = Set([1, 2, 3] + later).map { TeamTable.token($0) }.sorted()
            #expect(try ground.tokens() == ["accepted": expected])
        }
    }

    @Test func `a mover that died after the first device of a user goes on with the others`() async throws {
        let table = TeamTable()
        table.change { $0.users["42"] = Self.devices(1) }
        try await with(apps: table.apps()) { ground in
            let id = try ground.enqueue(Self.toUser("42"))
            try await ground.move()
            table.change { $0.users["42"] = Self.devices(2, 1, 3) }
            try ground.user.execute(
                "INSERT INTO \(ground.schema).inbox (id, app, push) VALUES ('\(id)', 'shop', '\(Self.toUser("42"))')")
            try await ground.move()
            #expect(try await ground.service.deliver() == 3)
            var feed = ground.feed()
            try await feed.round()
            #expect(try ground.tokens() == ["accepted": (1...3).map { TeamTable.token($0) }])
        }
    }

    @Test func `a push to a user whose table cannot be asked waits, and the others go on`() async throws {
        let table = TeamTable()
        table.change { state in
            state.users["42"] = Self.devices(1)
            state.failure = QueueError(.unreachable, "no table")
        }
        try await with(apps: table.apps()) { ground in
            let waiting = try (1...600).map { _ in try ground.enqueue(Self.toUser("42")) }
            let other = try ground.enqueue(Self.push())
            // The first round has only pushes to users, and none is moved.
            #expect(try await ground.mover.round() == false)
            while try await ground.service.queue.jobs([other], app: "shop").isEmpty {
                try Task.checkCancellation()
                _ = try await ground.mover.round()
            }
            #expect(try await ground.service.queue.jobs([waiting[0]], app: "shop").isEmpty)
            table.change { $0.failure = nil }
            // The table is asked again after a pause.
            while try await ground.service.queue.counts()["shop"]?.unfinished != 601 {
                try Task.checkCancellation()
                _ = try await ground.mover.round()
            }
        }
    }

    @Test func `a row that waited longer than half of the time that jobs are kept is not sent`() async throws {
        try await with(longestWait: .seconds(60)) { ground in
            let id = try ground.enqueue(Self.push())
            let late = try ground.enqueue(Self.push(#","ttl":"20s""#))
            try ground.user.execute(
                """
                UPDATE \(ground.schema).inbox SET at = at - interval '2 minutes' WHERE id = '\(id)';
                UPDATE \(ground.schema).inbox SET at = at - interval '30 seconds' WHERE id = '\(late)'
                """)
            try await ground.move()
            #expect(try await ground.outcome(id)?.reason == "expired")
            #expect(try await ground.outcome(late)?.reason == "expired")
        }
    }

    @Test func `many rows of an app do not hold up those of another`() async throws {
        try await with { ground in
            try await ground.inbox.grant([.send(app: "news")], to: PostgresServer.user)
            for _ in 1...1200 { _ = try ground.enqueue(Self.push()) }
            let other = try ground.enqueue(Self.push(), app: "news")
            #expect(try await ground.mover.round())
            #expect(try await ground.mover.round())
            #expect(try await ground.service.queue.jobs([other], app: "news").count == 1)
            #expect(try await ground.service.queue.counts()["shop"]?.unfinished == 500)
            try await ground.move()
            #expect(try await ground.service.queue.counts()["shop"]?.unfinished == 1200)
        }
    }

    @Test func `rows wait while the queue is full`() async throws {
        try await with({ $0.limits.queueDepth = 4 }) { ground in
            let ids = try (1...2).map { _ in try ground.enqueue(Self.push()) }
            _ = try await ground.service.queue.enqueue(
                EnqueueRequest(
                    (0..<4).map { _ in NewQueueJob(to: .device("ab"), payload: Array("{}".utf8)) }, app: "shop"))
            #expect(try await ground.mover.round() == false)
            #expect(try await ground.service.queue.jobs(ids, app: "shop").isEmpty)
            try await ground.service.deliver()
            // The numbers of the queue are kept for a moment.
            while try await !ground.mover.round() { try Task.checkCancellation() }
            #expect(try await ground.service.queue.jobs(ids, app: "shop").count == 2)
        }
    }

    @Test func `a queue that is older than the outcomes is noticed, and its outcomes are copied`() async throws {
        try await with { ground in
            let id = try ground.enqueue(Self.push())
            try await ground.move()
            try await ground.service.deliver()
            try ground.user.execute("UPDATE \(ground.schema).position SET cursor = '999999999999999' WHERE queue = 'q'")
            let log = CapturedLog()
            var feed = ground.feed(log.logger)
            try await feed.round()
            try await feed.round()
            #expect(try ground.outcomes() == [id: "accepted"])
            #expect(log.lines.count { $0.contains("restored from a backup") } == 1)
        }
    }

    @Test func `positions that were emptied are restored, nothing is lost, and the log and the status say so`()
        async throws
    {
        try await with { ground in
            let first = try ground.enqueue(Self.push())
            try await ground.move()
            let log = CapturedLog()
            var feed = ground.feed(log.logger)
            try await feed.round()
            try ground.user.execute("TRUNCATE \(ground.schema).position")
            try await ground.service.deliver()
            try await feed.round()
            #expect(try ground.outcomes() == [first: "accepted"])
            #expect(log.lines.count { $0.contains("was emptied") } == 1)
            let status = try await ground.service.ask("GET", "/v1/status", key: ground.service.key(["*"]))
            #expect(status.items("inboxes").first?.string("warning")?.contains("was emptied") == true, "\(status.text)")
            #expect(try await ground.inbox.check().isEmpty)

            // The same while no service runs: the queue knows the name of the inbox, which its pushes have.
            let second = try ground.enqueue(Self.push())
            try await ground.move()
            try ground.user.execute("TRUNCATE \(ground.schema).position")
            let parts = ground.service.service.api.parts
            // An installation gives the inbox another name, which the queue does not take.
            try await ground.inbox.install()
            #expect(try await InboxFeed.name(ground.inbox, parts.queue) == ground.name)
            try await ground.service.deliver()
            var later = ground.feed(log.logger)
            try await later.round()
            #expect(try ground.outcomes() == [first: "accepted", second: "accepted"])
        }
    }

    @Test func `everything about a device is handed out and erased, also what is in the user's database`() async throws
    {
        try await with { ground in
            _ = try ground.enqueue(Self.push())
            try await ground.move()
            try await ground.service.deliver()
            var feed = ground.feed()
            try await feed.round()
            _ = try ground.enqueue("{\n\"token\": \"<\(Self.token.uppercased())>\", \"colour\": 1\r\n}")
            let other = String(repeating: "b", count: 64)
            _ = try ground.enqueue(Self.push(token: other))
            let key = try await ground.service.key()
            let path = "?token=\(Self.token)&app=shop"
            let export = try await ground.service.ask("GET", "/v1/export\(path)", key: key)
            let lines = export.text.split(separator: "\n").compactMap { PushJSONValue(json: Array($0.utf8)) }
            #expect(lines.count == 3 && lines.count { $0["inbox"] != nil } == 1, "\(export.text)")
            // The rows come before the queue, and the queue before the outcomes: what goes on in the meantime is not missed.
            #expect(lines.first?["inbox"] != nil && lines.last?["inbox_outcome"] != nil, "\(export.text)")
            #expect(lines.compactMap { $0["inbox_outcome"] }.map { $0.string("outcome") } == ["accepted"])
            let part = try await ground.service.ask("DELETE", "/v1/notifications?token=bbbb&app=shop", key: key)
            #expect(part["erased"] == 0 && part["inbox_rows"] == 0, "\(part.text)")
            let erased = try await ground.service.ask("DELETE", "/v1/notifications\(path)", key: key)
            #expect(erased["erased"] == 1 && erased["inbox_rows"] == 2, "\(erased.text)")
            #expect(try await ground.service.ask("GET", "/v1/export\(path)", key: key).text.isEmpty)
            #expect(try ground.tokens().isEmpty)
            try await ground.move()
            #expect(try await ground.service.queue.counts()["shop"]?.waiting == 1, "the other device")
        }
    }

    @Test(arguments: [
        #"{"token":"\u0061\#(String(repeating: "A", count: 63))"}"#, #"{"t\u006fken":"\#(InboxTests.token)"}"#,
        #"{"token":"\u003c\#(InboxTests.token)\u003E"}"#, #"{"token":"device token: \#(InboxTests.token)\n"}"#,
        #"{"token":"Optional(\"\#(InboxTests.token)\")"}"#, #"{"token":"\#(InboxTests.token)","token":"b"}"#,
        "{\"a\":\(String(repeating: "[", count: 900))\(String(repeating: "]", count: 900)),\"token\":\"\(InboxTests.token)\"}",
        // Rows that can't be read.
        #"{"token":"\u0061\#(String(repeating: "A", count: 63))","a":"\ud800"}"#,
        #"{"a":"\ud800","token":"\u003C\#(Array(repeating: "aaaaaaaa", count: 8).joined(separator: " "))\u003e"}"#,
    ])
    func `a row of a device is found however its token is written`(push: String) async throws {
        try await with { ground in
            _ = try ground.enqueue(push)
            let others = try ["\(Self.token)a", "a"].map { try ground.enqueue(Self.push(token: $0)) }
            let key = try await ground.service.key()
            let path = "?token=\(Self.token.uppercased())&app=shop"
            let export = try await ground.service.ask("GET", "/v1/export\(path)", key: key)
            #expect(export.text.split(separator: "\n").count == 1, "\(export.text)")
            let erased = try await ground.service.ask("DELETE", "/v1/notifications\(path)", key: key)
            #expect(erased["inbox_rows"] == 1, "\(erased.text)")
            let left = PostgresStatement(PostgresText("SELECT id FROM \(ground.schema).inbox ORDER BY id"), [])
            #expect(try ground.user.run(left).map { $0.uuid(0) } == others)
        }
    }

    @Test func `a trigger on outcomes finds the tables of the user's own schema`() async throws {
        let server = try #require(try PostgresServer.shared())
        try await with { ground in
            let schema = ground.schema
            try ground.user.execute(
                """
                CREATE TABLE \(schema).seen (path text);
                CREATE FUNCTION \(schema).note() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN INSERT INTO \(schema).seen VALUES (current_setting(''search_path'')); RETURN NULL; END';
                CREATE TRIGGER note AFTER INSERT ON \(schema).outcome FOR EACH ROW EXECUTE FUNCTION \(schema).note()
                """)
            _ = try ground.enqueue("{}")
            try await ground.move()
            let address = try PostgresAddress(server.address(schema: PostgresAddress.usualSchema))
            let inbox = PostgresInbox(address, ground.inbox.contract)
            var feed = InboxFeed(
                inbox, ground.service.service.api.parts, name: ground.name, queue: "q", includesAccepted: true, .silent)
            try await feed.round()
            let seen = try ground.user.run(PostgresStatement(PostgresText("SELECT path FROM \(schema).seen"), []))
            #expect(seen.map { $0.text(0) } == [#""$user", public"#])
            await inbox.close()
        }
    }

    @Test func `a running service moves rows, and says once why outcomes do not come`() async throws {
        try await with { ground in
            let log = CapturedLog()
            let schema = ground.schema
            try ground.user.execute(
                """
                CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no devices''; END';
                CREATE TRIGGER fail AFTER INSERT ON \(schema).outcome FOR EACH ROW EXECUTE FUNCTION \(schema).fail()
                """)
            let settings = Inboxes.Settings(
                PostgresInbox(ground.inbox.address, ground.inbox.contract), poll: .milliseconds(1), outcomes: .all)
            let inboxes = Inboxes(
                ground.service.service, [settings], keepJobs: .seconds(1000), logger: log.logger)
            let group = ServiceGroup(services: [inboxes], logger: .silent)
            let running = Task { try await group.run() }
            let bad = try ground.enqueue("{}")
            try await log.wait(for: "the error") { $0.contains { $0.contains("fail() line 1 at RAISE") } }
            let status = try await ground.service.ask("GET", "/v1/status", key: ground.service.key(["*"]))
            let failing = status.items("inboxes").first { $0.string("part") == "outcomes" }
            #expect(failing?["works"] == .bool(false), "\(status.text)")
            #expect(failing?.string("reason")?.contains("fail() line 1 at RAISE") == true)
            let good = try ground.enqueue(Self.push())
            while try await ground.service.queue.jobs([good], app: "shop").isEmpty { try Task.checkCancellation() }
            try ground.user.execute("DROP TRIGGER fail ON \(schema).outcome")
            while try ground.outcomes()[bad] == nil { try Task.checkCancellation() }
            try await log.wait(for: "the end of it") {
                $0.contains { $0.contains("outcomes of the inbox works again") }
            }
            #expect(log.lines.count { $0.contains("fail() line 1 at RAISE") } == 1)
            #expect(!log.lines.contains { $0.contains("no devices") || $0.contains("report this") })
            let parts = ground.service.service.api.parts
            var page = ""
            while !page.contains("pushserve_inbox_moved_total{app=\"shop\"} 2") {
                try Task.checkCancellation()
                page = try await MetricsPage.text(
                    of: parts.metrics, queue: parts.queue, apps: parts.apps, version: parts.version)
            }
            #expect(page.contains("part=\"outcomes\"} 1"))
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }
}
