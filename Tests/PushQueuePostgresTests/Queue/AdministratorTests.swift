import NIOConcurrencyHelpers
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// What administrators do to the server, its rights, its settings and its locks: refused at the start, or noticed within seconds,
/// and nothing is confirmed from then on.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct AdministratorTests {
    private typealias Ground = AdministratorGround

    // MARK: Encoding, rights, settings

    @Test(arguments: [false, true])
    func `a database whose encoding cannot hold every text is refused, by who only looks, too`(creates: Bool)
        async throws
    {
        let server = try #require(try PostgresServer.shared())
        let schema = server.newSchema()
        let admin = try PostgresServer.connection()
        try admin.execute("CREATE DATABASE latin_\(schema) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let address = server.address(schema: schema).replacing("/postgres?", with: "/latin_\(schema)?")
        var options = PostgresQueue.Options.patient
        options.createsTables = creates
        let wish = options
        let error = await #expect(throws: QueueError.self) {
            _ = try await PostgresQueue(PostgresAddress(address), options: wish)
        }
        #expect(error?.code == .unusable)
        #expect(error?.description.contains("encoding LATIN1") == true)
    }

    @Test(arguments: [
        ("DELETE", "job"), ("INSERT", "campaign_refusal"), ("UPDATE", "lease"), ("SELECT", "gone"),
        ("USAGE", "SEQUENCE fence"), ("USAGE", "SEQUENCE slot"),
    ])
    func `a missing right is refused with the command that grants it, at the start and while workers run`(
        right: String, thing: String
    ) async throws {
        let ground = try await Ground()
        let revoked = right == "USAGE" ? "ALL" : right
        try ground.admin.execute("REVOKE \(revoked) ON \(thing) FROM \(ground.role)")
        let error = try await ground.nextError()
        #expect(error.code == .refused)
        #expect(error.description.contains("\(right) on \(thing.replacing("SEQUENCE ", with: ""))"), "\(error)")
        #expect(
            error.description.contains("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(ground.schema)"))
        #expect(try await ground.startError().code == .refused)
        try ground.admin.execute(
            """
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(ground.schema) TO \(ground.role);
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(ground.schema) TO \(ground.role)
            """)
        try await ground.works()
        await ground.queue.close()
    }

    @Test func `a schema that a role may not use is said with the right command`() async throws {
        let ground = try await Ground()
        try ground.admin.execute("ALTER SCHEMA \(ground.schema) OWNER TO CURRENT_USER")
        let error = try await ground.startError()
        #expect(error.code == .refused)
        #expect(
            error.description.contains("GRANT USAGE, CREATE ON SCHEMA \(ground.schema) TO \(ground.role)"), "\(error)")
        await ground.queue.close()
    }

    @Test(arguments: ["ROLE", "DATABASE"])
    func `a limit of connections that is too low for a worker is refused`(kind: String) async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let ground = try await Ground(server)
        await ground.queue.close()
        try ground.admin.execute(
            kind == "ROLE"
                ? "ALTER ROLE \(ground.role) CONNECTION LIMIT 3" : "ALTER DATABASE postgres CONNECTION LIMIT 3")
        let error = try await ground.startError()
        #expect(error.code == .refused && error.description.contains("only 3 connections"), "\(error)")
    }

    @Test func `what only a start needs is not demanded of a worker that runs`() async throws {
        let ground = try await Ground()
        let options = PostgresQueue.Options.patient
        let connection = try PostgresConnection(ground.address, options.writingSettings)
        let cache = PostgresCache()
        try cache.check(connection, ground.address, options)
        try ground.admin.execute(
            """
            ALTER ROLE \(ground.role) CONNECTION LIMIT 3; ALTER SCHEMA \(ground.schema) OWNER TO CURRENT_USER;
            GRANT USAGE ON SCHEMA \(ground.schema) TO \(ground.role)
            """)
        try cache.check(connection, ground.address, options)
        _ = try await ground.queue.add([.sample(2)])
        try ground.admin.execute("REVOKE USAGE ON SCHEMA \(ground.schema) FROM \(ground.role)")
        let error = #expect(throws: QueueError.self) { try cache.check(connection, ground.address, options) }
        #expect(error?.code == .refused)
        connection.close()
        await ground.queue.close()
    }

    @Test(arguments: ["off", "local"])
    func `sessions wait for the disk, whatever synchronous_commit says, also after a reload`(value: String) async throws
    {
        let server = try await Blocking.run { try PostgresServer() }
        let ground = try await Ground(server)
        func current(_ queue: PostgresQueue) async throws -> String {
            try await queue.workWriter.write { (transaction) throws(QueueError) in
                try transaction.query(PostgresText("SELECT current_setting('synchronous_commit')"), []).first?.text(0)
                    ?? ""
            }
        }
        #expect(try await current(ground.queue) == "on")
        try ground.admin.execute("ALTER SYSTEM SET synchronous_commit = \(value)")
        try ground.admin.execute("SELECT pg_reload_conf()")
        while try ground.admin.rows("SELECT current_setting('synchronous_commit')").first?.text(0) != value {
            try Task.checkCancellation()
        }
        #expect(try await current(ground.queue) == "on")
        let new = try await ground.open()
        #expect(try await current(new) == "on")
        await new.close()
        await ground.queue.close()
    }

    @Test(arguments: ["fsync", "full_page_writes"])
    func `a setting that loses confirmed data is noticed after a reload`(setting: String) async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let ground = try await Ground(server)
        try ground.admin.execute("ALTER SYSTEM SET \(setting) = off")
        try ground.admin.execute("SELECT pg_reload_conf()")
        let error = try await ground.nextError()
        #expect(error.code == .notDurable && error.description.contains("\(setting) isn't on"), "\(error)")
        try ground.admin.execute("ALTER SYSTEM RESET \(setting)")
        try ground.admin.execute("SELECT pg_reload_conf()")
        try await ground.works()
        await ground.queue.close()
    }

    @Test func `a standby that is taken away by a reload is warned of, once`() async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let address = try PostgresAddress(server.address(schema: "queue"))
        await (try await PostgresQueue(address, options: .patient)).close()
        let warnings = Warnings()
        var options = PostgresQueue.Options.patient
        options.report = { warnings.add($0) }
        let (admin, connection) = (try PostgresConnection(address, .patient), try PostgresConnection(address, .patient))
        func setStandby(_ setting: String, is value: String) throws {
            try admin.execute("ALTER SYSTEM \(setting)")
            try admin.execute("SELECT pg_reload_conf()")
            while try connection.rows("SELECT current_setting('synchronous_standby_names')").first?.text(0) != value {
                try Task.checkCancellation()
            }
        }
        let cache = PostgresCache()
        try setStandby("SET synchronous_standby_names = 'nobody'", is: "nobody")
        try cache.check(connection, address, options)
        #expect(warnings.all.isEmpty)
        try setStandby("RESET synchronous_standby_names", is: "")
        for _ in 0..<3 { try cache.check(connection, address, options) }
        #expect(warnings.all.count == 1 && warnings.all[0].contains("no synchronous standby"))
    }

    // MARK: Locks

    @Test func `a role that may only connect holds up no worker, and hides no outcome`() async throws {
        let ground = try await Ground()
        let stranger = "stranger_\(ground.schema)"
        try ground.admin.execute("CREATE ROLE \(stranger) LOGIN PASSWORD 'poor'")
        let other = try PostgresConnection(
            PostgresAddress("postgres://\(stranger):poor@127.0.0.1:\(ground.server.port)/postgres"), .patient)
        let (number, hash) = (0x5075_5175, "hashtext('\(ground.schema)')")
        try other.execute("SELECT pg_advisory_lock(\(number), \(hash)), pg_advisory_lock(\(number)::bigint + \(hash))")
        try other.execute("BEGIN; SELECT pg_current_xact_id()")
        #expect(try await ground.queue.add([.sample(2)]).count == 1)
        let job = try #require(try await ground.queue.startAll().first)
        #expect(try await ground.queue.complete(job, .accepted) == .done)
        try await ground.queue.settleCommits()
        #expect(try await ground.queue.results(of: ["shop"], after: .start, limit: 9).items.count == 1)
        await ground.queue.close()
        // The first worker of another queue makes its tables.
        try other.execute("COMMIT; SELECT pg_advisory_lock(\(number)::bigint + hashtext('other_\(ground.schema)'))")
        let address = try PostgresAddress(ground.server.address(schema: "other_\(ground.schema)"))
        await (try await PostgresQueue(address, options: .patient)).close()
        other.close()
    }

    @Test func `behind a lock on the jobs, all requests and the check of the service end within their time`()
        async throws
    {
        var options = PostgresQueue.Options.patient
        (options.lockTime, options.stepTime, options.checkTime) = (.seconds(1), .seconds(2), .seconds(1))
        // On a busy machine, the first step can take longer than these limits.
        let ground = try await Ground()
        let queue = try await PostgresQueue(ground.address, options: options)
        while (try? await queue.add([.sample(1001)])) == nil { try Task.checkCancellation() }
        try ground.admin.execute("BEGIN; LOCK TABLE job")
        let begun = ContinuousClock.now
        let errors = await withTaskGroup(of: QueueError.Code?.self) { group in
            for number in 0..<80 {
                group.addTask {
                    do { _ = try await queue.add([.sample(number)]) } catch { return (error as? QueueError)?.code }
                    return nil
                }
                group.addTask {
                    do throws(QueueError) { _ = try await queue.jobs(QueueJobQuery(app: "shop")) } catch {
                        return error.code
                    }
                    return nil
                }
            }
            group.addTask {
                do throws(QueueError) { try await queue.checkWriting() } catch { return error.code }
                return nil
            }
            return await group.reduce(into: [QueueError.Code?]()) { $0.append($1) }
        }
        #expect(errors.count == 161 && errors.allSatisfy { $0 == .busy || $0 == .conflict })
        // On a busy machine, too. Each step in turn would need more than two minutes and a half.
        #expect(ContinuousClock.now - begun < .seconds(120))
        try ground.admin.execute("ROLLBACK")
        // Steps that were given up can hold the first one up.
        while (try? await queue.add([.sample(1000)])) == nil { try Task.checkCancellation() }
        while (try? await queue.checkWriting()) == nil { try Task.checkCancellation() }
        await queue.close()
        await ground.queue.close()
    }

    // MARK: Lost answers

    @Test func `the jobs of a claim whose answer is lost are claimed again at once`() async throws {
        let server = try #require(try PostgresServer.shared())
        let direct = try PostgresAddress(server.address(schema: server.newSchema()))
        let first = try await PostgresQueue(direct, options: .patient)
        let ids = try await first.add((0..<3).map { .sample($0) })
        await first.close()
        let cut = StatementProxy.Cut(sql: "COMMIT", moment: .afterTheAnswer)
        let proxy = try StatementProxy(to: server.port, schema: direct.schema, cuts: [cut])
        let text = server.address(schema: direct.schema).replacing(":\(server.port)", with: ":\(proxy.port)")
        let queue = try await PostgresQueue(
            PostgresAddress(text + "&sslmode=disable&gssencmode=disable"), options: .patient)
        let error = await #expect(throws: QueueError.self) { _ = try await queue.claim() }
        #expect(error?.code == .unreachable)
        #expect(Set(try await queue.claim().map(\.id)) == Set(ids))
        #expect(try await queue.counts()["shop"]?.leased == 3)
        await queue.close()
    }

    @Test(arguments: [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer])
    func `a server that ends the connection while a worker starts does not end the worker`(
        moment: CuttingProxy.Moment
    ) async throws {
        let server = try #require(try PostgresServer.shared())
        func open(_ cuts: [StatementProxy.Cut]) async throws -> StatementProxy {
            let schema = server.newSchema()
            let proxy = try StatementProxy(to: server.port, schema: schema, cuts: cuts)
            let text = server.address(schema: schema).replacing(":\(server.port)", with: ":\(proxy.port)")
            let address = try PostgresAddress(text + "&sslmode=disable&gssencmode=disable")
            await (try await PostgresQueue(address, options: .patient)).close()
            return proxy
        }
        let first = try #require(try await open([]).statements.first { $0.contains("'full_page_writes'") })
        #expect(try await open([StatementProxy.Cut(sql: first, moment: moment)]).cutsLeft.isEmpty)
    }
}
