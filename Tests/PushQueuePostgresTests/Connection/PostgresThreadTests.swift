import NIOConcurrencyHelpers
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresThreadTests {
    private let address: PostgresAddress
    private let thread: PostgresThread

    init() throws {
        address = try PostgresServer.addressWithSchema()
        thread = PostgresThread(name: "postgres-test", address: address, settings: .patient)
    }

    private func process() async throws -> pid_t {
        try await thread.run { connection throws(QueueError) in
            let rows = try connection.run(PostgresStatement(PostgresText("SELECT pg_backend_pid()"), []))
            return pid_t(rows.first?.number(0) ?? 0)
        }
    }

    @Test func `bodies share a connection and run in their order`() async throws {
        let order = NIOLockedValueBox<[Int]>([])
        let first = try await process()
        for number in 0..<3 { try await thread.run { _ in order.withLockedValue { $0.append(number) } } }
        #expect(try await process() == first)
        #expect(order.withLockedValue { $0 } == [0, 1, 2])
        await thread.stop()
    }

    @Test func `a connection that broke while idle is replaced`() async throws {
        let first = try await process()
        let other = try PostgresConnection(address, .patient)
        // It waits until the process has ended.
        #expect(try other.rows("SELECT pg_terminate_backend($1::int4, 10000)", .int4(first)).first?.bool(0) == true)
        #expect(try await process() != first)
        await thread.stop()
    }

    // MARK: Other servers first

    /// A thread whose address has the same server twice, under two names.
    private func threadWithTwoServers() throws -> PostgresThread {
        let server = try #require(try PostgresServer.shared())
        let text = server.address(schema: address.schema).replacing(
            ":\(server.port)", with: ":\(server.port),localhost:\(server.port)")
        return PostgresThread(name: "two-servers", address: try PostgresAddress(text), settings: .patient)
    }

    @Test
    func `after a broken connection, the other servers are tried first, even if the body caught the error`()
        async throws
    {
        let thread = try threadWithTwoServers()
        let first = try await thread.run { connection throws(QueueError) in
            connection.fail()
            return connection.host
        }
        #expect(try await thread.run { $0.host } != first)
        await thread.stop()
    }

    @Test func `after a connection that broke while idle, the other servers are tried first`() async throws {
        let thread = try threadWithTwoServers()
        let (first, process) = try await thread.run { ($0.host, $0.backend) }
        let other = try PostgresConnection(address, .patient)
        // It waits until the process has ended.
        #expect(try other.rows("SELECT pg_terminate_backend($1::int4, 10000)", .int4(process)).first?.bool(0) == true)
        #expect(try await thread.run { $0.host } != first)
        await thread.stop()
    }

    @Test func `after a lock that is not released, the other servers are tried first`() async throws {
        let holder = try PostgresConnection(address, .patient)
        try holder.execute("CREATE TABLE thing (id integer PRIMARY KEY); INSERT INTO thing VALUES (1)")
        try holder.execute("BEGIN; SELECT id FROM thing FOR UPDATE")
        let thread = try threadWithTwoServers()
        let first = try await thread.run { $0.host }
        let error = await #expect(throws: QueueError.self) {
            try await thread.run { connection throws(QueueError) in
                try connection.execute("SET lock_timeout = '1ms'")
                _ = try connection.run(PostgresStatement(PostgresText("SELECT id FROM thing FOR UPDATE"), []))
            }
        }
        #expect(error?.code == .conflict)
        #expect(try await thread.run { $0.host } != first)
        await thread.stop()
        try holder.execute("ROLLBACK")
    }

    @Test func `a connection that breaks in a body is replaced for the next`() async throws {
        let first = try await process()
        let error = await #expect(throws: QueueError.self) {
            try await thread.run { connection throws(QueueError) in
                try connection.execute("BEGIN; SELECT pg_terminate_backend(pg_backend_pid())")
            }
        }
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("wasn't confirmed") == true)
        #expect(try await process() != first)
        await thread.stop()
    }

    @Test func `a transaction that an error leaves open is rolled back`() async throws {
        let first = try await process()
        let error = await #expect(throws: QueueError.self) {
            try await thread.run { connection throws(QueueError) in
                try connection.execute("BEGIN; CREATE TABLE half ()")
                throw QueueError(.invalid, "Stop.")
            }
        }
        #expect(error?.code == .invalid)
        #expect(try await thread.run { $0.isInTransaction } == false)
        #expect(try await process() == first)
        try await thread.run { connection throws(QueueError) in try connection.execute("CREATE TABLE half ()") }
        await thread.stop()
    }

    @Test func `after its end it takes nothing`() async throws {
        _ = try await process()
        await thread.stop()
        await thread.stop()
        let error = await #expect(throws: QueueError.self) { _ = try await thread.run { _ in 1 } }
        #expect(error?.code == .closed)
    }

    @Test func `what was given before the end still runs`() async throws {
        let begun = Watched(false)
        async let slow: Int = thread.run { connection throws(QueueError) in
            begun.change { $0 = true }
            try connection.execute("SELECT pg_sleep(0.2)")
            return 7
        }
        try await begun.wait(for: "the body begins") { $0 }
        await thread.stop()
        #expect(try await slow == 7)
    }

    @Test func `an abort ends a statement at once`() async throws {
        let begun = Watched(false)
        async let slow: Void = thread.run { connection throws(QueueError) in
            begun.change { $0 = true }
            try connection.execute("SELECT pg_sleep(60)")
        }
        try await begun.wait(for: "the body begins") { $0 }
        thread.abort()
        do {
            try await slow
            Issue.record("The statement went on.")
        } catch {
            #expect((error as? QueueError)?.code == .unreachable)
        }
        let error = await #expect(throws: QueueError.self) { _ = try await thread.run { _ in 1 } }
        #expect(error?.code == .closed)
        await thread.stop()
    }

    @Test func `without a server each body fails, and with one they work`() async throws {
        let port = try HeldPort()
        let nobody = PostgresThread(
            name: "nobody", address: try PostgresAddress("postgres://a:b@127.0.0.1:\(port.number)/c"),
            settings: .patient)
        for _ in 0..<2 {
            let error = await #expect(throws: QueueError.self) { _ = try await nobody.run { _ in 1 } }
            #expect(error?.code == .unreachable)
        }
        await nobody.stop()
    }
}
