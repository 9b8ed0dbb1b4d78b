import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct RequirementsTests {
    private func error(_ address: String) async throws -> QueueError {
        let address = try PostgresAddress(address)
        let error = await #expect(throws: QueueError.self) {
            _ = try await PostgresQueue(address, options: .patient)
        }
        return try #require(error)
    }

    @Test(arguments: ["fsync", "full_page_writes"])
    func `a server that could lose what it confirms is refused`(setting: String) async throws {
        let server = try await Blocking.run { try PostgresServer(settings: ["\(setting)=off"]) }
        let error = try await error(server.address(schema: "queue"))
        #expect(error.code == .notDurable)
        #expect(error.description.contains("\(setting) isn't on"))
        #expect(!error.description.contains(PostgresServer.password))
    }

    @Test func `a server that takes over is checked, too, and at each try`() async throws {
        let server = try await Blocking.run { try PostgresServer() }
        let address = try PostgresAddress(server.address(schema: "queue"))
        let queue = try await PostgresQueue(address, options: .patient)
        #expect(try await queue.add([.sample()]).count == 1)
        let other = PostgresThread(name: "other", address: address, settings: .patient)
        try await other.run { (connection) throws(QueueError) in
            try connection.execute("ALTER SYSTEM SET full_page_writes = off")
            try connection.execute("SELECT pg_reload_conf()")
            try connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
        }
        await other.stop()
        var codes: [QueueError.Code] = []
        while codes.count(where: { $0 == .notDurable }) < 3 {
            do {
                _ = try await queue.add([.sample(1)])
                Issue.record("a server was used that may lose what it confirms")
                break
            } catch let error as QueueError {
                codes.append(error.code)
                guard codes.count < 10 else { break }
            }
        }
        #expect(codes.count { $0 == .notDurable } == 3, "\(codes)")
        await queue.close()
    }

    @Test func `a server without a synchronous standby gets a warning`() async throws {
        let server = try #require(try PostgresServer.shared())
        var options = PostgresQueue.Options.patient
        let warnings = Warnings()
        options.report = { warnings.add($0) }
        let queue = try await PostgresQueue(
            PostgresAddress(server.address(schema: server.newSchema())), options: options)
        #expect(warnings.all.count { $0.contains("no synchronous standby") } == 1, "\(warnings.all)")
        await queue.close()
    }

    @Test(arguments: ["user", "1st", "x"])
    func `a schema may have any name of letters, digits and underscores`(name: String) async throws {
        let server = try #require(try PostgresServer.shared())
        let queue = try await PostgresQueue(PostgresAddress(server.address(schema: name)), options: .patient)
        var options = PostgresQueue.Options.patient
        // Only a notice says that there is something new.
        options.pollInterval = .seconds(3600)
        let other = try await PostgresQueue(PostgresAddress(server.address(schema: name)), options: options)
        let changes = other.changes(of: .jobs)
        let id = try await queue.add([.sample()])
        // A worker that has just started may not listen yet, so there are more notices.
        let adding = Task {
            while !Task.isCancelled { _ = try await queue.add([.sample()], app: "bank") }
        }
        for await _ in changes {
            if try await other.counts()["shop"]?.waiting == 1 { break }
        }
        adding.cancel()
        _ = await adding.result
        #expect(try await other.claim().map(\.id) == id)
        await queue.close()
        await other.close()
    }

    @Test func `who only looks makes no tables`() async throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        var options = PostgresQueue.Options.patient
        options.createsTables = false
        for _ in 0..<2 {
            let error = await #expect(throws: QueueError.self) {
                _ = try await PostgresQueue(address, options: options)
            }
            #expect(error?.code == .missing)
        }
        await (try await PostgresQueue(address, options: .patient)).close()
        await (try await PostgresQueue(address, options: options)).close()
    }

    @Test func `tables of something else are left alone`() async throws {
        let address = try PostgresServer.addressWithSchema()
        let thread = PostgresThread(name: "other", address: address, settings: .patient)
        try await thread.run { (connection) throws(QueueError) in
            try connection.execute("CREATE TABLE job (id int8)")
        }
        await thread.stop()
        let server = try #require(try PostgresServer.shared())
        let error = try await error(server.address(schema: address.schema))
        #expect(error.code == .foreign && error.description.contains(address.schema))
    }

    @Test(arguments: [
        ("DROP TABLE lease, gone", "it has no table gone, lease."), ("DROP TABLE queue", "it has no table queue."),
        ("UPDATE queue SET format = 0", "has no format"), ("DELETE FROM queue", "has no format"),
    ])
    func `tables of a queue that is not complete are said, with the way out`(change: String, words: String)
        async throws
    {
        let server = try #require(try PostgresServer.shared())
        let text = server.address(schema: server.newSchema())
        let address = try PostgresAddress(text)
        await (try await PostgresQueue(address, options: .patient)).close()
        let connection = try PostgresConnection(address, .patient)
        try connection.execute(change)
        let error = try await error(text)
        #expect(error.code == .damaged)
        #expect(error.description.contains(words), "\(error)")
        #expect(error.description.contains("DROP SCHEMA \(address.schema) CASCADE"), "\(error)")
        // This is the way out.
        try connection.execute("DROP SCHEMA \(address.schema) CASCADE")
        await (try await PostgresQueue(address, options: .patient)).close()
    }

    @Test func `a server that is too old is said, with the version that is needed`() async throws {
        let old = try OldServer(version: "14.9")
        let error = try await error("postgres://a:b@127.0.0.1:\(old.port)/c?sslmode=disable&gssencmode=disable")
        #expect(error.code == .unusable)
        #expect(
            error.description == """
                Can't connect to postgres://a@127.0.0.1:\(old.port)/c: 127.0.0.1:\(old.port): it is PostgreSQL 14, which is too old. \
                PostgreSQL 15 or newer is needed. Upgrade the server.
                """)
    }

    @Test func `a newer format is refused, and not changed`() async throws {
        let server = try #require(try PostgresServer.shared())
        let text = server.address(schema: server.newSchema())
        await (try await PostgresQueue(PostgresAddress(text), options: .patient)).close()
        let thread = PostgresThread(name: "newer", address: try PostgresAddress(text), settings: .patient)
        try await thread.run { (connection) throws(QueueError) in
            try connection.execute("UPDATE queue SET format = 99")
        }
        let error = try await error(text)
        #expect(error.code == .newerVersion && error.description.contains("99"))
        await thread.stop()
    }

    @Test func `a role that may not make the schema is refused with the command that helps`() async throws {
        let server = try #require(try PostgresServer.shared())
        let schema = server.newSchema()
        let thread = PostgresThread(
            name: "role", address: try PostgresAddress(server.address(schema: schema)), settings: .patient
        )
        try await thread.run { (connection) throws(QueueError) in
            try connection.execute("CREATE ROLE poor_\(schema) LOGIN PASSWORD 'poor'")
        }
        let poor = "postgres://poor_\(schema):poor@127.0.0.1:\(server.port)/postgres?schema=\(schema)"
        let error = try await error(poor)
        #expect(error.code == .refused)
        #expect(error.description.contains("CREATE SCHEMA \(schema) AUTHORIZATION poor_\(schema)"))
        // With the schema, the role needs no other right.
        try await thread.run { (connection) throws(QueueError) in
            try connection.execute("CREATE SCHEMA \(schema) AUTHORIZATION poor_\(schema)")
        }
        let queue = try await PostgresQueue(PostgresAddress(poor), options: .patient)
        #expect(try await queue.add([.sample()]).count == 1)
        await queue.close()
        await thread.stop()
    }
}
