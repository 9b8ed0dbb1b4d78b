import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxOutcomeTests {
    private static let token = String(repeating: "a", count: 64)
    private static let device = InboxDevice(token) { String(decoding: $0, as: UTF8.self).lowercased().contains(token) }
    private static let time = QueueTime(milliseconds: 1_800_000_000_000)

    private func outcome(_ number: UInt64, _ outcome: QueueJobOutcome = .accepted) -> InboxOutcome {
        var job = QueueJobRecord(
            id: UUID(1, number), app: "shop", target: .device(Self.token), queued: Self.time, due: Self.time)
        (job.finished, job.outcome) = (Self.time, outcome)
        return InboxOutcome(id: job.id, job)
    }

    private func reasons(_ ground: InboxGround) throws -> [String] {
        try ground.user.rows("SELECT outcome || ' ' || coalesce(reason, '') FROM \(ground.schema).outcome ORDER BY id")
            .map {
                $0.text(0)
            }
    }

    @Test func `outcomes and position are stored together, once, and a first outcome stays`() async throws {
        let ground = try await InboxGround()
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        #expect(try await ground.inbox.position(of: "q", startingAt: one) == one)
        var gone = QueueJobOutcome(.rejected, reason: "Unregistered", detail: "a zero\0byte")
        (gone.status, gone.goneSince) = (410, Self.time)
        #expect(try await ground.inbox.store([outcome(1), outcome(2, gone)], of: "q", from: one, to: two))
        #expect(try await ground.inbox.store([outcome(3)], of: "q", from: one, to: two) == false)
        #expect(try await ground.inbox.position(of: "q", startingAt: one) == two)
        #expect(try await ground.inbox.store([outcome(1, gone)], of: "q", from: two, to: one))
        #expect(try reasons(ground) == ["accepted ", "rejected Unregistered"])
        let row = try ground.user.rows(
            "SELECT status, extract(epoch FROM gone_since)::int8, token, detail FROM \(ground.schema).outcome WHERE status = 410"
        ).first
        #expect(row?.number(0) == 410 && row?.integer(1) == 1_800_000_000 && row?.text(2) == Self.token)
        await ground.inbox.close()
    }

    @Test func `a trigger that raises leaves outcomes and position as they were`() async throws {
        let ground = try await InboxGround()
        try ground.user.execute(
            """
            CREATE FUNCTION \(ground.schema).fail() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''card 4242 of %'', NEW.token; END';
            CREATE TRIGGER fail AFTER INSERT ON \(ground.schema).outcome FOR EACH ROW EXECUTE FUNCTION \(ground.schema).fail()
            """)
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let inbox = ground.inbox
        let rows = [outcome(1)]
        let error = await #expect(throws: QueueError.self) {
            _ = try await inbox.store(rows, of: "q", from: one, to: two)
        }
        #expect(error?.code == .unusable)
        #expect(
            error?.description.contains("PL/pgSQL function") == true && error?.description.contains("P0001") == true)
        #expect(error?.description.contains("4242") == false && error?.description.contains("report this") == false)
        #expect(try await ground.inbox.position(of: "q", startingAt: two) == one)
        #expect(try reasons(ground).isEmpty)
        // Rows are moved all the same.
        try ground.enqueue()
        #expect(try await ground.drain().count == 1)
        try ground.user.execute("DROP TRIGGER fail ON \(ground.schema).outcome")
        #expect(try await ground.inbox.store(rows, of: "q", from: one, to: two))
        await ground.inbox.close()
    }

    @Test func `a trigger that drops outcomes stops them, and nothing else`() async throws {
        let ground = try await InboxGround()
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        #expect(try await ground.inbox.store([outcome(1)], of: "q", from: one, to: two))
        try ground.user.execute(
            """
            CREATE FUNCTION \(ground.schema).drop() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN IF NEW.outcome = ''accepted'' THEN RETURN NULL; END IF; RETURN NEW; END';
            CREATE TRIGGER dropping BEFORE INSERT ON \(ground.schema).outcome FOR EACH ROW EXECUTE FUNCTION \(ground.schema).drop()
            """)
        let (inbox, rows) = (
            ground.inbox, [outcome(1), outcome(2, QueueJobOutcome(.rejected, reason: "x")), outcome(3)]
        )
        let error = await #expect(throws: QueueError.self) {
            _ = try await inbox.store(rows, of: "q", from: two, to: one)
        }
        #expect(
            error?.code == .unusable && error?.description.contains("dropped 1 outcome.") == true, "\(error as Any)")
        #expect(try await inbox.position(of: "q", startingAt: one) == two)
        #expect(try reasons(ground) == ["accepted "])
        try ground.enqueue()
        #expect(try await ground.drain().count == 1)
        // What was stored before, or is twice among them, is not dropped. A trigger may delete rows afterwards.
        #expect(try await inbox.store([outcome(1)], of: "q", from: two, to: one))
        try ground.user.execute(
            """
            DROP TRIGGER dropping ON \(ground.schema).outcome;
            CREATE FUNCTION \(ground.schema).consume() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN DELETE FROM \(ground.schema).outcome WHERE id = NEW.id; RETURN NULL; END';
            CREATE TRIGGER consuming AFTER INSERT ON \(ground.schema).outcome FOR EACH ROW EXECUTE FUNCTION \(ground.schema).consume()
            """)
        #expect(try await inbox.store(rows + rows, of: "q", from: one, to: two))
        #expect(try reasons(ground) == ["accepted "])
        await ground.inbox.close()
    }

    @Test(arguments: [
        ("inbox", "INSERT", "INSTEAD NOTHING"), ("inbox", "DELETE", "INSTEAD NOTHING"),
        ("outcome", "INSERT", "INSTEAD NOTHING"), ("outcome", "INSERT", "ALSO SELECT 1"),
        ("outcome", "DELETE", "INSTEAD NOTHING"),
    ])
    func `a rule that makes rows vanish is named, and stops nothing but outcomes`(
        table: String, event: String, does: String
    ) async throws {
        let ground = try await InboxGround()
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let (inbox, rows) = (ground.inbox, [outcome(1)])
        try ground.enqueue()
        try ground.user.execute("CREATE RULE \"a Rule\" AS ON \(event) TO \(ground.schema).\(table) DO \(does)")
        let problems = try await inbox.check()
        #expect(problems.count == 1 && problems[0].contains("DROP RULE \"a Rule\" ON \(ground.schema).\(table);"))
        #expect(
            try await PostgresInbox(ground.address, inbox.contract, copiesOutcomes: false).check().count
                == (table == "inbox" ? 1 : 0))
        if table == "outcome", event == "INSERT" {
            let error = await #expect(throws: QueueError.self) {
                _ = try await inbox.store(rows, of: "q", from: one, to: two)
            }
            #expect(error?.code == .unusable && error?.description.contains("rule") == true, "\(error as Any)")
            #expect(try await inbox.position(of: "q", startingAt: two) == one)
        } else {
            #expect(try await inbox.store(rows, of: "q", from: one, to: two))
        }
        let taken = try await inbox.take(served: ["shop"], from: ["shop"])
        #expect(taken.count == 1)
        if table == "inbox", event == "DELETE" {
            let error = await #expect(throws: QueueError.self) { try await inbox.clear(taken) }
            #expect(error?.code == .unusable, "\(error as Any)")
        } else {
            try await inbox.clear(taken)
        }
        try ground.user.execute("DROP RULE \"a Rule\" ON \(ground.schema).\(table)")
        #expect(try await inbox.check().isEmpty)
        await inbox.close()
    }

    @Test(arguments: [
        "ALTER TABLE S.inbox RENAME TO old; CREATE VIEW S.inbox AS SELECT * FROM S.old",
        """
        ALTER TABLE S.inbox RENAME TO old; CREATE TABLE S.inbox (LIKE S.old INCLUDING ALL) PARTITION BY LIST (app);
        CREATE TABLE S.shop PARTITION OF S.inbox FOR VALUES IN ('shop')
        """,
        "CREATE TABLE S.child () INHERITS (S.inbox)",
        "ALTER TABLE S.outcome RENAME TO old; CREATE TABLE S.outcome (LIKE S.old INCLUDING DEFAULTS) PARTITION BY RANGE (at)",
    ])
    func `a view or partitions in the place of a table are refused, before rows are taken by their place`(
        sql: String
    ) async throws {
        let ground = try await InboxGround()
        #expect(try await ground.drain().isEmpty)
        try ground.user.execute(
            sql.replacing("INCLUDING ALL", with: "INCLUDING DEFAULTS INCLUDING CONSTRAINTS").replacing(
                "S.", with: "\(ground.schema)."))
        let inbox = ground.inbox
        for step in [{ _ = try await inbox.check() }, { try await inbox.install() }] {
            let error = await #expect(throws: QueueError.self) { try await step() }
            #expect(
                error?.code == .unusable && error?.description.contains("is a view, or has") == true, "\(error as Any)")
        }
        if !sql.contains("outcome") {
            await #expect(throws: QueueError.self) { _ = try await inbox.take(served: ["shop"], from: ["shop"]) }
        }
        await inbox.close()
    }

    /// What CREATE SUBSCRIPTION makes.
    @Test func `an inbox that a subscription fills is left to its original`() async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let ground = try await InboxGround(server)
        try ground.enqueue()
        try ground.user.execute(
            """
            SET allow_system_table_mods = on;
            INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate) VALUES (1, '\(ground.schema).inbox'::regclass, 'r')
            """)
        let inbox = ground.inbox
        for step in [{ _ = try await inbox.check() }, { _ = try await inbox.take(served: ["shop"], from: ["shop"]) }] {
            let error = await #expect(throws: QueueError.self) { try await step() }
            #expect(error?.code == .unusable && error?.description.contains("logical replication") == true)
        }
        await inbox.close()
    }

    @Test(arguments: [
        ("'BEGIN EXECUTE ''SELECT 1 / 0, 4242''; RETURN NULL; END'", "22012"),
        ("'BEGIN RAISE EXCEPTION ''4242'' USING ERRCODE = ''42501''; END'", "SECURITY DEFINER"),
        ("'BEGIN DELETE FROM no_such_4242; RETURN NULL; END'", "42P01"),
    ])
    func `whatever a trigger fails with, its function is named and its data is not`(
        body: String, sign: String
    ) async throws {
        let ground = try await InboxGround()
        try ground.user.execute(
            """
            CREATE FUNCTION \(ground.schema).fail() RETURNS trigger LANGUAGE plpgsql AS \(body);
            CREATE TRIGGER fail AFTER INSERT ON \(ground.schema).outcome FOR EACH ROW EXECUTE FUNCTION \(ground.schema).fail()
            """)
        let one = QueueResultCursor(number: 1)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let (inbox, rows) = (ground.inbox, [outcome(1)])
        let error = await #expect(throws: QueueError.self) {
            _ = try await inbox.store(rows, of: "q", from: one, to: QueueResultCursor(number: 2))
        }
        let text = error?.description ?? ""
        #expect(text.contains("fail() line 1") && text.contains(sign) && !text.contains("4242"), "\(text)")
        await ground.inbox.close()
    }

    @Test(arguments: [
        ("detail::int > 0", "22P02"), ("detail::regclass IS NOT NULL", "42P01"),
        ("detail::regrole IS NOT NULL", "42704"),
        ("to_tsquery('simple', detail || ' &') IS NOT NULL", "42601"), ("detail <> 'x4242'", "23514"),
    ])
    func `whatever a constraint fails with, the data of the row is not shown`(check: String, state: String) async throws
    {
        let ground = try await InboxGround()
        try ground.user.execute("ALTER TABLE \(ground.schema).outcome ADD CHECK (\(check))")
        let one = QueueResultCursor(number: 1)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let (inbox, rows) = (ground.inbox, [outcome(1, QueueJobOutcome(.rejected, detail: "x4242"))])
        let error = await #expect(throws: QueueError.self) {
            _ = try await inbox.store(rows, of: "q", from: one, to: QueueResultCursor(number: 2))
        }
        let text = error?.description ?? ""
        #expect(text.contains("(SQLSTATE \(state))") && text.contains("log of PostgreSQL"), "\(text)")
        #expect(!text.contains("x4242") && !text.contains("report this"), "\(text)")
        await ground.inbox.close()
    }

    @Test func `outcomes are dropped after seven days in which the feed ran`() async throws {
        let ground = try await InboxGround()
        let one = QueueResultCursor(number: 1)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        _ = try await ground.inbox.store([outcome(1)], of: "q", from: one, to: QueueResultCursor(number: 2))
        let times = "SET kept = to_timestamp(1800000000) - interval '1 minute', seen = clock_timestamp() - interval"
        try ground.user.execute("UPDATE \(ground.schema).position \(times) '30 seconds'")
        try await ground.inbox.dropOld(of: "q")
        #expect(try reasons(ground).count == 1)
        // It was down for eight days: they count as two minutes.
        try ground.user.execute("UPDATE \(ground.schema).position \(times) '8 days'")
        try await ground.inbox.dropOld(of: "q")
        #expect(try reasons(ground).isEmpty)
        await ground.inbox.close()
    }

    @Test func `erasing a token reaches rows and outcomes, and rows that PostgreSQL cannot read`() async throws {
        let ground = try await InboxGround()
        let one = QueueResultCursor(number: 1)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        _ = try await ground.inbox.store([outcome(1)], of: "q", from: one, to: QueueResultCursor(number: 2))
        try ground.enqueue(#"{"token":"\#(Self.token.uppercased())","payload":"\u0000"}"#)
        let other = try ground.enqueue(#"{"token":"\#(String(repeating: "b", count: 64))","payload":"\u0000"}"#)
        let rows = try await ground.inbox.export(.rows, of: Self.device, app: "shop")
        let outcomes = try await ground.inbox.export(.outcomes, of: Self.device, app: "shop")
        #expect(rows.lines.count == 1 && outcomes.lines.count == 1 && rows.next == nil && outcomes.next == nil)
        let lines = (rows.lines + outcomes.lines).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines[0].contains("\"push\"") && lines[1].contains("\"accepted\""), "\(lines)")
        #expect(lines.allSatisfy { !$0.contains("\n") })
        for part in [PostgresInbox.ExportPart.rows, .outcomes] {
            #expect(try await ground.inbox.export(part, of: Self.device, app: "news").lines.isEmpty)
        }
        #expect(try await ground.inbox.erase(Self.device, app: "news") == 0)
        #expect(try await ground.inbox.erase(Self.device, app: "shop") == 2)
        #expect(try await ground.drain().map(\.id) == [other])
        await ground.inbox.close()
    }

    @Test func `what an erasure or an export reads at once has a bound in bytes, and misses no row`() async throws {
        let ground = try await InboxGround()
        let push = "{\"token\":\"\(Self.token)\",\"a\":\"\(String(repeating: "x", count: 190_000))\"}"
        for _ in 0..<25 { try ground.enqueue(push) }
        var (pages, place): ([[[UInt8]]], InboxRowKey?) = ([], nil)
        repeat {
            let page = try await ground.inbox.export(.rows, of: Self.device, app: "shop", after: place)
            pages.append(page.lines)
            place = page.next
        } while place != nil
        #expect(pages.map(\.count) == [12, 12, 1])
        let maximum = PostgresInbox.maximumBytes
        #expect(pages.allSatisfy { page in page.dropLast().reduce(0) { $0 + $1.count } < maximum + push.utf8.count })
        #expect(try await ground.inbox.erase(Self.device, app: "shop") == 25)
        await ground.inbox.close()
    }

    @Test func `an export has every row and outcome once, also rows of several transactions with one id`() async throws
    {
        let ground = try await InboxGround()
        let one = QueueResultCursor(number: 1)
        let rows = 2 * PostgresInbox.page + 1
        try ground.user.execute(
            """
            INSERT INTO \(ground.schema).inbox (xact, id, app, push)
            SELECT n::text::xid8, '\(UUID(1, 1))', 'shop', '\(InboxGround.push)' FROM generate_series(1, \(rows)) n
            """)
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let outcomes = (1...UInt64(PostgresInbox.page)).map { outcome($0) }
        _ = try await ground.inbox.store(outcomes, of: "q", from: one, to: QueueResultCursor(number: 2))
        for (part, count) in [(PostgresInbox.ExportPart.rows, rows), (.outcomes, outcomes.count)] {
            var (lines, place): ([[UInt8]], InboxRowKey?) = ([], nil)
            repeat {
                let page = try await ground.inbox.export(part, of: Self.device, app: "shop", after: place)
                lines += page.lines
                place = page.next
            } while place != nil
            #expect(lines.count == count)
        }
        await ground.inbox.close()
    }

    @Test func `outcomes do not wait for an erasure`() async throws {
        let ground = try await InboxGround()
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        _ = try await ground.inbox.store([outcome(1)], of: "q", from: one, to: two)
        // A trigger holds the erasure up until a row says that it may go on.
        let schema = ground.schema
        try ground.user.execute(
            """
            CREATE TABLE \(schema).go (n int);
            CREATE FUNCTION \(schema).hold() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN WHILE NOT EXISTS (SELECT FROM \(schema).go) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN OLD; END';
            CREATE TRIGGER hold BEFORE DELETE ON \(schema).outcome FOR EACH ROW EXECUTE FUNCTION \(schema).hold()
            """)
        let inbox = ground.inbox
        let erasure = Task { try await inbox.erase(Self.device, app: nil) }
        let locked = "SELECT FROM pg_locks WHERE relation = '\(schema).outcome'::regclass AND mode = 'RowExclusiveLock'"
        while try ground.user.rows(locked).count == 0 { try Task.checkCancellation() }
        #expect(try await inbox.store([outcome(2)], of: "q", from: two, to: one))
        #expect(try ground.user.rows(locked).count == 1)
        try ground.user.execute("INSERT INTO \(schema).go VALUES (1)")
        #expect(try await erasure.value == 1)
        await ground.inbox.close()
    }

    @Test func `outcomes that were read before an erasure are not stored after it`() async throws {
        let ground = try await InboxGround()
        let (one, two) = (QueueResultCursor(number: 1), QueueResultCursor(number: 2))
        _ = try await ground.inbox.position(of: "q", startingAt: one)
        let before = try #require(try await ground.inbox.version(of: "q"))
        #expect(try await ground.inbox.erase(Self.device, app: nil) == 0)
        #expect(try await ground.inbox.store([outcome(1)], of: "q", from: one, to: two, version: before) == false)
        #expect(try reasons(ground).isEmpty)
        let after = try #require(try await ground.inbox.version(of: "q"))
        #expect(try await ground.inbox.store([outcome(2)], of: "q", from: one, to: two, version: after))
        await ground.inbox.close()
    }
}
