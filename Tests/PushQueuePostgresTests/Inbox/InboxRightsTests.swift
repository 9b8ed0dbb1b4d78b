import PushPlatform
import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Who may do what. Roles belong to the whole server, so each test has its own.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct InboxRightsTests {
    private func role(_ ground: InboxGround, _ rights: [InboxContract.Right]) async throws -> String {
        let name = "\(ground.address.schema)_user"
        try ground.user.execute("CREATE ROLE \(name) LOGIN")
        if !rights.isEmpty { try await ground.inbox.grant(rights, to: name) }
        try ground.user.execute("SET SESSION AUTHORIZATION \(name)")
        return name
    }

    private func refuses(_ ground: InboxGround, _ sql: String) throws {
        let error = try queueError { try ground.user.execute(sql) }
        // The function refuses by an exception, which the queue's connections take for somebody's.
        #expect(error.code == .refused || "\(error)".contains("42501"), "\(sql): \(error)")
    }

    @Test func `a role without a right can do nothing`() async throws {
        let ground = try await InboxGround()
        _ = try await role(ground, [])
        try refuses(ground, "SELECT \(ground.schema).enqueue('shop', '{}')")
        try refuses(ground, "INSERT INTO \(ground.schema).inbox (app, push) VALUES ('shop', '{}')")
        try refuses(ground, "SELECT FROM \(ground.schema).inbox")
        await ground.inbox.close()
    }

    @Test func `a role that may not grant is told so, and nothing is granted`() async throws {
        let (ground, server) = (try await InboxGround(), try #require(try PostgresServer.shared()))
        let name = "\(ground.address.schema)_user"
        try ground.user.execute(
            "CREATE ROLE \(name) LOGIN PASSWORD '\(PostgresServer.password)'; CREATE ROLE \(name)_service")
        // With rights of its own, the server only warns it.
        try await ground.inbox.grant([.service, .outcomes], to: name)
        let schema = ground.address.schema
        let address = server.address(schema: schema).replacing("//\(PostgresServer.user):", with: "//\(name):")
        let inbox = PostgresInbox(try PostgresAddress(address), ground.inbox.contract, options: .patient)
        for rights in [[InboxContract.Right.service], [.outcomes]] {
            let error = await #expect(throws: QueueError.self) { try await inbox.grant(rights, to: name + "_service") }
            #expect(error?.code == .refused && error?.description.contains(name) == true, "\(error as Any)")
        }
        let rows = try ground.user.rows("SELECT has_schema_privilege('\(name)_service', '\(schema)', 'USAGE')")
        #expect(rows.first?.bool(0) == false)
        for inbox in [inbox, ground.inbox] { await inbox.close() }
    }

    @Test func `a role may send pushes of its app, and nothing else`() async throws {
        let ground = try await InboxGround()
        let name = try await role(ground, [.send(app: "shop")])
        let id = try ground.enqueue()
        try refuses(ground, "SELECT \(ground.schema).enqueue('news', '{}')")
        try refuses(ground, "SELECT \(ground.schema).enqueue_all('news', '[{}]')")
        try refuses(ground, "INSERT INTO \(ground.schema).inbox (app, push) VALUES ('shop', '{}')")
        try refuses(ground, "SELECT FROM \(ground.schema).outcome")
        try refuses(ground, "INSERT INTO \(ground.schema).sender VALUES ('\(name)'::regrole, 'news')")
        let rows = try await ground.drain()
        #expect(rows.map(\.id) == [id] && rows.allSatisfy(\.isAllowed))
        await ground.inbox.close()
    }

    @Test func `a role that inserts rows itself cannot claim to be another, nor send pushes of another app`()
        async throws
    {
        let ground = try await InboxGround()
        _ = try await role(ground, [.send(app: "shop"), .insert])
        let inserted = try ground.user.rows(
            "INSERT INTO \(ground.schema).inbox (app, push) VALUES ('shop', '{}'), ('news', '{}') RETURNING id, xact::text"
        )
        for column in ["push", "app", "role"] { try refuses(ground, "SELECT \(column) FROM \(ground.schema).inbox") }
        try refuses(
            ground,
            "INSERT INTO \(ground.schema).inbox (app, push, role) VALUES ('news', '{}', '\(PostgresServer.user)')")
        let rows = try await ground.inbox.take(served: ["news", "shop"], from: ["news", "shop"])
        #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.app, $0.isAllowed) }) == ["shop": true, "news": false])
        #expect(Set(rows.map(\.id)) == Set(inserted.map { $0.uuid(0) }))
        await ground.inbox.close()
    }

    @Test func `rows of COPY are moved like others, and belong to the role that logged in`() async throws {
        let ground = try await InboxGround()
        _ = try await role(ground, [.send(app: "shop"), .insert])
        var copy = PostgresCopy(columns: 2, rows: 3)
        for app in ["shop", "news", "shop"] {
            copy.beginRow()
            copy.add(.text(app))
            copy.add(.text(InboxGround.push))
        }
        let statement = PostgresCopy.statement("\(ground.schema).inbox", ["app", "push"])
        #expect(try ground.user.copy(statement, copy) == 3)
        let rows = try await ground.inbox.take(served: ["news", "shop"], from: ["news", "shop"])
        #expect(rows.map(\.app) == ["shop", "news", "shop"] && rows.map(\.isAllowed) == [true, false, true])
        #expect(Set(rows.map(\.id)).count == 3 && rows.allSatisfy { $0.push == Array(InboxGround.push.utf8) })
        await ground.inbox.close()
    }

    @Test func `a function of the team with SECURITY DEFINER sends for the role that logged in`() async throws {
        let ground = try await InboxGround()
        let (schema, owner) = (ground.schema, "\(ground.address.schema)_owner")
        try ground.user.execute("CREATE ROLE \(owner)")
        try await ground.inbox.grant([.send(app: "shop")], to: owner)
        let name = "\(ground.address.schema)_user"
        try ground.user.execute(
            """
            CREATE SCHEMA \(owner) AUTHORIZATION \(owner); CREATE ROLE \(name) LOGIN; GRANT USAGE ON SCHEMA \(owner) TO \(name);
            CREATE FUNCTION \(owner).order() RETURNS uuid LANGUAGE sql SECURITY DEFINER AS
                $$ SELECT \(schema).enqueue('shop', '\(InboxGround.push)') $$;
            ALTER FUNCTION \(owner).order() OWNER TO \(owner);
            SET SESSION AUTHORIZATION \(name)
            """)
        try refuses(ground, "SELECT \(owner).order()")
        try ground.user.execute("RESET SESSION AUTHORIZATION")
        // The right to the app alone opens the function of the team, and not the one of the inbox.
        try ground.user.execute("INSERT INTO \(schema).sender VALUES ('\(name)'::regrole, 'shop')")
        try ground.user.execute("SET SESSION AUTHORIZATION \(name)")
        try ground.user.execute("SELECT \(owner).order()")
        try refuses(ground, "SELECT \(schema).enqueue('shop', '{}')")
        try ground.user.execute("RESET SESSION AUTHORIZATION")
        #expect(try await ground.drain().map(\.isAllowed) == [true])
        await ground.inbox.close()
    }

    @Test func `a service without the right to the schema is told which grant it needs`() async throws {
        let ground = try await InboxGround()
        let (name, address) = try serviceRole(ground)
        try ground.user.execute("REVOKE USAGE ON SCHEMA \(ground.schema) FROM \(name)")
        let service = PostgresInbox(address, ground.inbox.contract)
        let error = await #expect(throws: QueueError.self) { _ = try await service.check() }
        #expect(error?.code == .refused, "\(error as Any)")
        #expect(error?.description.contains("pushserve inbox grant --service") == true, "\(error as Any)")
        await service.close()
        await ground.inbox.close()
    }

    @Test func `with SET ROLE, the role that is set counts, as frameworks use it`() async throws {
        let ground = try await InboxGround()
        let names = ["web", "login"].map { "\(ground.address.schema)_\($0)" }
        try ground.user.execute(
            "CREATE ROLE \(names[0]); CREATE ROLE \(names[1]) LOGIN NOINHERIT; GRANT \(names[0]) TO \(names[1])")
        try await ground.inbox.grant([.send(app: "shop")], to: names[0])
        try ground.user.execute("SET SESSION AUTHORIZATION \(names[1]); SET ROLE \(names[0])")
        try ground.enqueue()
        try ground.user.execute("RESET ROLE; RESET SESSION AUTHORIZATION")
        let role = try ground.user.rows("SELECT role::text FROM \(ground.schema).inbox").first?.text(0)
        #expect(role == names[0])
        #expect(try await ground.drain().allSatisfy(\.isAllowed))
        await ground.inbox.close()
    }

    @Test func `a row of a role that is gone is not allowed, and stops nothing`() async throws {
        let ground = try await InboxGround()
        let name = try await role(ground, [.send(app: "shop")])
        try ground.enqueue()
        try ground.user.execute("RESET SESSION AUTHORIZATION; DROP OWNED BY \(name); DROP ROLE \(name)")
        #expect(try await ground.drain().map(\.isAllowed) == [false])
        // A later role could get its number.
        #expect(try await ground.inbox.check().contains { $0.contains("\"sender\"") })
        try await ground.inbox.install()
        #expect(try await ground.inbox.check().isEmpty)
        #expect(try ground.user.rows("SELECT FROM \(ground.schema).sender").count == 1)
        await ground.inbox.close()
    }

    @Test func `a wrong password is not a missing right`() async throws {
        let ground = try await InboxGround()
        let text = try #require(try PostgresServer.shared()).address(schema: ground.address.schema)
        let wrong = text.replacing(":\(PostgresServer.password)@", with: ":wrong@")
        let inbox = PostgresInbox(try PostgresAddress(wrong), ground.inbox.contract, options: .patient)
        let error = await #expect(throws: QueueError.self) { _ = try await inbox.check() }
        #expect(error?.code == .refused && error?.description.contains("grant") == false)
        #expect(error?.description.contains("password in the address") == true, "\(error?.description ?? "")")
        await inbox.close()
        await ground.inbox.close()
    }

    /// A login role that may do nothing but use the schema, and its address.
    private func serviceRole(_ ground: InboxGround) throws -> (name: String, address: PostgresAddress) {
        let name = "\(ground.address.schema)_service"
        try ground.user.execute("CREATE ROLE \(name) LOGIN PASSWORD '\(PostgresServer.password)'")
        try ground.user.execute("GRANT USAGE ON SCHEMA \(ground.schema) TO \(name)")
        let text = try #require(try PostgresServer.shared()).address(schema: ground.address.schema)
        try ground.user.execute("ALTER ROLE \(name) SET search_path = \(ground.address.schema)")
        return (name, try PostgresAddress(text.replacing("//\(PostgresServer.user):", with: "//\(name):")))
    }

    @Test func `without outcomes, a service needs no right to their table, and uses it if it has one`() async throws {
        let ground = try await InboxGround()
        try ground.user.execute(
            "INSERT INTO \(ground.schema).outcome (id, app, token, outcome, at) VALUES ('\(UUID(1, 1))', 'shop', 'ab', 'accepted', now())"
        )
        let (name, address) = try serviceRole(ground)
        let both = [true, false].map {
            PostgresInbox(address, ground.inbox.contract, copiesOutcomes: $0, options: .patient)
        }
        try await ground.inbox.grant([.service], to: name)
        try ground.user.execute(
            "REVOKE ALL ON \(ground.schema).outcome FROM \(name); REVOKE UPDATE ON \(ground.schema).position FROM \(name)"
        )
        let error = await #expect(throws: QueueError.self) { _ = try await both[0].check() }
        #expect(error?.code == .refused)
        #expect(try await both[1].check().isEmpty)
        #expect(try await both[1].name(earlier: nil).count == 8)
        let device = InboxDevice("ab") { _ in true }
        try ground.enqueue()
        #expect(try await both[1].export(.outcomes, of: device, app: "shop").lines.isEmpty)
        await #expect(throws: QueueError.self) { _ = try await both[0].erase(device, app: nil) }
        try ground.enqueue()
        #expect(try await both[1].erase(device, app: nil) > 0)
        try await ground.inbox.grant([.service], to: name)
        #expect(try await both[1].erase(device, app: nil) == 1, "the outcome")
        for inbox in both { await inbox.close() }
        await ground.inbox.close()
    }

    @Test(arguments: [false, true])
    func `the rights of a service are enough, and no function of others gets them`(areHostile: Bool) async throws {
        let ground = try await InboxGround()
        if areHostile { try ground.user.addHostileFunctions(to: ground.address.schema) }
        try await ground.inbox.install()
        let (name, address) = try serviceRole(ground)
        let service = PostgresInbox(address, ground.inbox.contract, options: .patient)
        let error = await #expect(throws: QueueError.self) { _ = try await service.check() }
        #expect(error?.code == .refused && error?.description.contains("grant --service") == true)
        try await ground.inbox.grant([.service], to: name)
        _ = try await service.check()
        try ground.enqueue()
        let rows = try await service.take(served: ["shop"], from: ["shop"])
        #expect(rows.count == 1)
        try await service.clear(rows)
        #expect(try await service.name(earlier: nil).count == 8)
        #expect(try await service.identity().place == ground.inbox.identity().place)
        let start = try #require(try await service.position(of: "q", startingAt: .start))
        let time = QueueTime(milliseconds: 1_767_323_045_678)
        var job = QueueJobRecord(id: UUID(1, 2), app: "shop", target: .device("ef"), queued: time, due: time)
        (job.finished, job.outcome) = (time, QueueJobOutcome(.rejected, reason: "Unregistered", detail: nil))
        job.outcome?.goneSince = time
        let outcomes = [InboxOutcome(id: job.id, job)]
        #expect(try await service.store(outcomes, of: "q", from: start, to: QueueResultCursor(number: 1)))
        #expect(
            try ground.user.rows("SELECT FROM \(ground.schema).outcome WHERE gone_since = '2026-01-02T03:04:05.678Z'")
                .count == 1)
        try await service.dropOld(of: "q")
        let device = InboxDevice("ab") { _ in true }
        #expect(try await service.erase(device, app: nil) == 0)
        for part in [PostgresInbox.ExportPart.rows, .outcomes] {
            #expect(try await service.export(part, of: device, app: "shop").lines.isEmpty)
        }
        let other = InboxDevice("cd") { _ in true }
        try ground.enqueue()
        #expect(try await service.oldest().map(\.app) == ["shop"])
        #expect(try await service.export(.rows, of: other, app: "shop").lines.count == 1)
        #expect(try await service.erase(other, app: nil) == 1)
        await service.close()
        await ground.inbox.close()
    }

    @Test(arguments: ["inbox", "sender", "outcome", "position"])
    func `row-level security that hides rows from the service is said, and nothing is forbidden because of it`(
        table: String
    ) async throws {
        let ground = try await InboxGround()
        let (name, address) = try serviceRole(ground)
        try await ground.inbox.grant([.service], to: name)
        let service = PostgresInbox(address, ground.inbox.contract, options: .patient)
        #expect(try await service.check().isEmpty)
        try ground.enqueue()
        try ground.user.execute("ALTER TABLE \(ground.schema).\(table) ENABLE ROW LEVEL SECURITY")
        func expect(_ question: () async throws -> Void) async {
            let error = await #expect(throws: QueueError.self) { try await question() }
            #expect(error?.code == .unusable && error?.description.contains(".\(table) ") == true, "\(error as Any)")
        }
        await expect { _ = try await service.check() }
        if ["inbox", "sender"].contains(table) {
            await expect { _ = try await service.take(served: ["shop"], from: ["shop"]) }
        }
        if table != "sender" {
            let device = InboxDevice("ab") { _ in true }
            await expect { _ = try await service.erase(device, app: nil) }
            let part = table == "outcome" ? PostgresInbox.ExportPart.outcomes : .rows
            if table != "position" { await expect { _ = try await service.export(part, of: device, app: "shop") } }
        }
        try ground.user.execute("ALTER ROLE \(name) BYPASSRLS")
        #expect(try await service.check().isEmpty)
        #expect(try await service.take(served: ["shop"], from: ["shop"]).map(\.isAllowed) == [true])
        await service.giveBack()
        await service.close()
        await ground.inbox.close()
    }

    @Test(arguments: [
        "inbox RENAME push TO text", "outcome RENAME detail TO more", "position DROP kept",
        "outcome DROP CONSTRAINT outcome_pkey",
    ])
    func `the check finds tables that somebody has changed`(change: String) async throws {
        let ground = try await InboxGround()
        try ground.user.execute("ALTER TABLE \(ground.schema).\(change)")
        let error = await #expect(throws: QueueError.self) { _ = try await ground.inbox.check() }
        #expect(error?.code == .damaged, "\(error as Any)")
        await ground.inbox.close()
    }
}
