import NIOConcurrencyHelpers
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// What administrators do to the tables: refused at the start, or noticed within seconds, and nothing is confirmed from then on.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct ChangedTableTests {
    private typealias Ground = AdministratorGround

    // MARK: Disk

    /// Its files cannot grow, but a row is still changed where it is.
    @Test func `a disk that is full for jobs is full for who asks, until a job is stored`() async throws {
        let address = try PostgresServer.addressWithSchema()
        var options = PostgresQueue.Options.patient
        options.fullTime = .seconds(3600)
        let queue = try await PostgresQueue(address, options: options)
        let administrator = try PostgresConnection(address, .patient)
        try administrator.execute(
            """
            CREATE FUNCTION grow() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER grow AFTER INSERT ON content FOR EACH ROW EXECUTE FUNCTION grow()
            """)
        try await queue.checkWriting()
        await #expect { try await queue.add([.sample(1)]) } throws: { ($0 as? QueueError)?.code == .diskFull }
        await #expect { try await queue.checkWriting() } throws: { ($0 as? QueueError)?.code == .diskFull }
        try administrator.execute("DROP TRIGGER grow ON content")
        _ = try await queue.add([.sample(2)])
        try await queue.checkWriting()
        await queue.close()
    }

    @Test(arguments: [
        (
            """
            CREATE FUNCTION boom() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret %', NEW; END $$;
            CREATE TRIGGER boom AFTER INSERT ON content FOR EACH ROW EXECUTE FUNCTION boom()
            """, "boom() line 1 at RAISE", "DROP TRIGGER boom ON content"
        ),
        (
            "ALTER TABLE job ADD CONSTRAINT secret CHECK (attempts > 7) NOT VALID", "a constraint",
            "ALTER TABLE job DROP CONSTRAINT secret"
        ),
    ])
    func `a trigger or a constraint of somebody else is no defect, and what it says stays in the log of the server`(
        change: String, words: String, undo: String
    ) async throws {
        let address = try PostgresServer.addressWithSchema()
        let queue = try await PostgresQueue(address, options: .patient)
        let administrator = try PostgresConnection(address, .patient)
        try administrator.execute(change)
        let error = await #expect(throws: QueueError.self) { try await queue.add([.sample(1)]) }
        #expect(error?.code == .unusable && error?.description.contains(words) == true, "\(error as Any)")
        #expect(error?.description.contains("secret") == false, "\(error as Any)")
        try administrator.execute(undo)
        _ = try await queue.add([.sample(2)])
        await queue.close()
    }

    // MARK: Tables

    @Test(arguments: [
        ("ALTER TABLE job SET UNLOGGED", "is UNLOGGED"),
        ("ALTER TABLE job ENABLE ROW LEVEL SECURITY; ALTER TABLE job FORCE ROW LEVEL SECURITY", "row-level security"),
        ("CREATE RULE lost AS ON INSERT TO event DO INSTEAD NOTHING", "has a rule"),
        ("CREATE TABLE child () INHERITS (lease)", "child tables"),
        (
            """
            CREATE FUNCTION lost() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
            CREATE TRIGGER lost BEFORE INSERT ON content FOR EACH ROW EXECUTE FUNCTION lost()
            """, "BEFORE trigger"
        ),
        (
            """
            SET allow_system_table_mods = on;
            INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate) VALUES (1, 'job'::regclass, 'r')
            """, "a subscription"
        ),
        ("DROP INDEX dedupe_until", "no valid index dedupe_until"),
        ("ALTER TABLE job DROP CONSTRAINT job_pkey", "no valid index job_pkey"),
        ("ALTER TABLE app DROP CONSTRAINT app_name_key", "no valid index app_name_key"),
        ("DROP TABLE gone", "no table gone"),
        ("ALTER SEQUENCE fence SET UNLOGGED", "fence of"),
        ("ALTER SEQUENCE app_id_seq SET UNLOGGED", "app_id_seq of"),
    ])
    func `tables that lose or double something are refused at the start, and noticed while workers run`(
        change: String, words: String
    ) async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let ground = try await Ground(server)
        try ground.admin.execute(change)
        let error = try await ground.nextError()
        #expect(error.description.contains(words) || error.code == .damaged, "\(error)")
        #expect(error.code != .defect, "\(error)")
        #expect(try await ground.startError().description.contains(words))
        await ground.queue.close()
    }

    @Test(arguments: [
        "DROP SCHEMA SELF CASCADE", "DROP TABLE queue", "ALTER TABLE content DROP COLUMN push", "DROP SEQUENCE version",
    ])
    func `a missing part is no defect of the program, and named`(change: String) async throws {
        let ground = try await Ground()
        try ground.admin.execute(change.replacing("SELF", with: ground.schema))
        let error = try await ground.nextError()
        #expect([.damaged, .refused].contains(error.code), "\(error)")
        await ground.queue.close()
    }

    @Test(arguments: ["content ALTER COLUMN app TYPE bigint", "job ALTER COLUMN attempts TYPE bigint"])
    func `a column of another type is no defect of the program`(change: String) async throws {
        let ground = try await Ground()
        try ground.admin.execute("ALTER TABLE \(change)")
        let error = await #expect(throws: QueueError.self) { _ = try await ground.queue.add([.sample(2)]) }
        #expect(error?.code == .damaged && error?.description.contains("aren't as this program created") == true)
        await ground.queue.close()
    }

    @Test func `a rule that was dropped does no harm, although its table is still marked`() async throws {
        let ground = try await Ground()
        try ground.admin.execute(
            "CREATE RULE lost AS ON INSERT TO event DO INSTEAD NOTHING; DROP RULE lost ON event")
        let marked = try ground.admin.rows("SELECT relhasrules FROM pg_class WHERE oid = 'event'::regclass")
        #expect(marked.first?.bool(0) == true)
        let new = try await ground.open()
        _ = try await new.add([.sample(2)])
        await new.close()
        await ground.queue.close()
    }

    /// A worker is connected to a server, and then to another one that has less.
    @Test func `a server that takes over without what was acknowledged is noticed, and nothing more is stored`()
        async throws
    {
        let first = try await Blocking.run { try PostgresServer() }
        try await PostgresQueue(PostgresAddress(first.address(schema: "push")), options: .patient).close()
        let second = try await Blocking.run { try PostgresServer(settings: ["autovacuum=off"], source: first) }
        let address = try PostgresAddress(
            first.address(schema: "push").replacing(":\(first.port)", with: ":\(first.port),127.0.0.1:\(second.port)"))
        let queue = try await PostgresQueue(address, options: .patient)
        // Other transactions on the second one get some of their numbers.
        for number in 1...10 { _ = try await queue.add([.sample(number)]) }
        // While the first one lives, the second one isn't used.
        let administrator = try PostgresConnection(PostgresAddress(first.address(schema: "push")), .patient)
        try administrator.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
        )
        while (try? await queue.add([.sample(11)])) == nil { try Task.checkCancellation() }
        #expect(try administrator.rows("SELECT count(*) FROM job").first?.number(0) == 11)
        administrator.close()
        try await Blocking.run { first.end() }
        var error: QueueError?
        while error?.code != .damaged {
            try Task.checkCancellation()
            error = await #expect(throws: QueueError.self) { try await queue.add([.sample(2)]) }
        }
        #expect(error?.description.contains("127.0.0.1:\(second.port)) lacks what this worker has") == true)
        await #expect(throws: QueueError.self) { try await queue.checkWriting() }
        await queue.close()
        let new = try await PostgresQueue(address, options: .patient)
        _ = try await new.add([.sample(3)])
        await new.close()
    }

    @Test func `a worker whose queue is replaced by an empty one stores nothing until it is restarted`() async throws {
        let ground = try await Ground()
        let schema = ground.schema
        try ground.admin.execute(
            "DROP SCHEMA \(schema) CASCADE; CREATE SCHEMA \(schema) AUTHORIZATION \(ground.role)")
        let reports = Warnings()
        var options = PostgresQueue.Options.patient
        options.report = { reports.add($0) }
        let new = try await PostgresQueue(ground.address, options: options)
        #expect(reports.all.contains { $0.hasPrefix("A new, empty queue was made in the schema \(schema)") })
        _ = try await new.add([.sample()], app: "gym")
        _ = try await ground.nextError()
        let error = await #expect(throws: QueueError.self) { _ = try await ground.queue.add([.sample(2)]) }
        #expect(error?.code == .damaged && error?.description.contains("was replaced by an empty one") == true)
        await ground.queue.close()
        let again = try await ground.open()
        #expect(try await again.add([.sample(3)]).count == 1)
        #expect(try await again.counts()["gym"]?.waiting == 1)
        await again.close()
        await new.close()
    }

    @Test func `columns that somebody has added do no harm`() async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let clock = ManualClock()
        var options = QueueOptions()
        (options.clock, options.uptime, options.boot) = ({ clock.now }, { clock.uptime }, clock.boot)
        let queue = try await PostgresQueue(address, options: .with(options))
        let admin = try PostgresConnection(address, .patient)
        for table in PostgresSchema.tables {
            try admin.execute("ALTER TABLE \(table) ADD COLUMN added text DEFAULT 'x'")
        }
        try await QueueStory(queue: queue, clock: clock, about: "added columns").tell()
        await queue.close()
    }

    // MARK: Restored and emptied tables

    /// Ways to bring back an older state of a queue that has only the app "bank".
    private static let restores = [
        "DROP SCHEMA SELF CASCADE; CREATE SCHEMA SELF; SET LOCAL search_path = SELF; TABLES; UPDATE queue SET format = FORMAT; APP",
        "TRUNCATE app; TRUNCATE app_count; APP",
        "DELETE FROM app; DELETE FROM app_count; UPDATE queue SET seen = 0; APP",
    ]

    @Test(arguments: restores)
    func `after a restore under running workers, no push is stored as one of another app`(way: String) async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let warnings = Warnings()
        var options = PostgresQueue.Options.patient
        options.report = { warnings.add($0) }
        let queue = try await PostgresQueue(address, options: options)
        _ = try await queue.add([.sample()], app: "bank")
        // It gets the number 2, which the dump does not contain.
        _ = try await queue.add([.sample()], app: "shop")
        _ = try await queue.claim()
        let admin = try PostgresConnection(address, .patient)
        let app = """
            INSERT INTO app (id, name, is_known) OVERRIDING SYSTEM VALUE VALUES (1, 'bank', true);
            ALTER TABLE app ALTER COLUMN id RESTART WITH 2
            """
        let sql = way.replacing("SELF", with: address.schema).replacing(
            "TABLES", with: PostgresSchema.migrations.joined()
        )
        .replacing("FORMAT", with: "\(PostgresSchema.migrations.count)").replacing("APP", with: app)
        try admin.execute("BEGIN; \(sql); COMMIT")
        let isDeleted = way.hasPrefix("DELETE")
        if !isDeleted {
            // Another app gets the number before this worker looks.
            let other = try await PostgresQueue(address, options: .patient)
            _ = try await other.add([.sample()], app: "gym")
            await other.close()
        }
        for number in 0..<3 { _ = try await queue.add([.sample(number)], app: "shop") }
        let counts = try await queue.counts()
        #expect(counts["shop"]?.waiting == 3 && counts["gym"]?.waiting == (isDeleted ? nil : 1), "\(counts)")
        #expect(warnings.all.contains { $0.contains("were changed while this worker runs") })
        await queue.close()
    }

    @Test(arguments: ["TRUNCATE app", "TRUNCATE app RESTART IDENTITY", "DELETE FROM app"])
    func `when the names of the apps are lost, nothing is confirmed until they are back`(change: String) async throws {
        let ground = try await Ground()
        let number = try ground.admin.rows("SELECT id FROM app").first?.integer(0) ?? 0
        try ground.admin.execute(change)
        let error = try await ground.nextError()
        #expect(error.code == .damaged && error.description.contains("emptied or restored"), "\(error)")
        #expect(try await ground.startError().code == .damaged)
        try ground.admin.execute(
            "INSERT INTO app (id, name, is_known) OVERRIDING SYSTEM VALUE VALUES (\(number), 'shop', true)")
        try await ground.works()
        #expect(try await ground.queue.claim().isEmpty == false)
        await ground.queue.close()
    }
}
