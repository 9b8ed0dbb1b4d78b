import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Servers that stop in the middle of something.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10))) struct PostgresFailureTests {
    @Test func `a frozen server does not hold the client`() throws {
        let connection = try PostgresServer.connection()
        let process = connection.backend
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        let error = try queueError {
            try connection.waiting(.seconds(1)) { () throws(QueueError) in try connection.execute("SELECT 1") }
        }
        connection.close()
        #expect(error.code == .unreachable)
        #expect(error.description.contains("didn't answer within 1.0 seconds"))
        #expect(error.description.contains("wasn't confirmed"))
        #expect(connection.isBroken)
    }

    @Test func `a frozen server does not hold a client that sends much`() throws {
        let connection = try PostgresServer.connection()
        let process = connection.backend
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        let word = PostgresValue.text(String(repeating: "x", count: 50_000_000))
        let statement = PostgresStatement(PostgresText("SELECT length($1::text)"), [word])
        let error = try queueError {
            try connection.waiting(.seconds(1)) { () throws(QueueError) in _ = try connection.run(statement) }
        }
        #expect(error.description.contains("didn't answer within"))
        connection.close()
        connection.close()
    }

    @Test(arguments: [CuttingProxy.Moment.beforeTheServer, .afterTheAnswer])
    func `a commit without an answer counts as not confirmed`(moment: CuttingProxy.Moment) throws {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresServer.addressWithSchema()
        let direct = try PostgresConnection(address, .patient)
        try direct.execute("CREATE TABLE job (id int8)")
        let proxy = try CuttingProxy(to: server.port, word: "COMMIT", cuts: moment)
        let through = server.address(schema: address.schema).replacing(":\(server.port)", with: ":\(proxy.port)")
        let connection = try PostgresConnection(PostgresAddress(through), .patient)
        try connection.execute("BEGIN; INSERT INTO job VALUES (1)")
        let error = try queueError { try connection.execute("COMMIT") }
        #expect(error.code == .unreachable)
        #expect(error.description.contains("wasn't confirmed"))
        #expect(connection.isBroken)
        #expect(!connection.isInTransaction)
        let stored = try direct.rows("SELECT count(*) FROM job").first?.number(0)
        #expect(stored == (moment == .afterTheAnswer ? 1 : 0))
    }

    @Test func `a step that needs longer gets its own limit, and later ones the usual one`() async throws {
        let address = try PostgresServer.addressWithSchema()
        // The usual limit must suffice for the statements that open the connection.
        for limit in [0.1, 2, 30] {
            var settings = PostgresSettings.patient
            settings.statementTime = .seconds(limit)
            let thread = PostgresThread(name: "long", address: address, settings: settings)
            let isOpen = (try? await thread.run { _ in true }) ?? false
            guard isOpen || limit == 30 else {
                await thread.stop()
                continue
            }
            try await thread.run { connection throws(QueueError) in
                try connection.waiting(.seconds(300)) { () throws(QueueError) in
                    // The statement takes longer than the usual limit: that is what is tested.
                    try connection.execute("SELECT pg_sleep(\(3 * limit))")
                }
            }
            let error = await #expect(throws: QueueError.self) {
                try await thread.run { connection throws(QueueError) in
                    // It never ends by itself. The limit ends it.
                    try connection.execute("SET client_connection_check_interval = '1s'; SELECT pg_sleep(600)")
                }
            }
            #expect(error?.code == .unreachable)
            await thread.stop()
            return
        }
    }

    @Test func `the server ends what the client has given up, for readings, too`() {
        let options = PostgresQueueOptions()
        for settings in [options.readingSettings, options.writingSettings] {
            #expect(settings.serverSettings["client_connection_check_interval"] == "5s")
        }
    }

    @Test func `a pipeline without an answer counts as not confirmed`() throws {
        let server = try #require(try PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port, word: "4242", cuts: .afterTheAnswer)
        let address = "postgres://queue:secret@127.0.0.1:\(proxy.port)/postgres"
        let connection = try PostgresConnection(PostgresAddress(address), .patient)
        let error = try queueError { _ = try connection.rows("SELECT 4242") }
        #expect(error.code == .unreachable)
        #expect(error.description.contains("wasn't confirmed"))
        #expect(!error.description.contains("secret"))
    }

    @Test func `a server that ends the connection gives its reason`() throws {
        let connection = try PostgresServer.connection()
        let error = try queueError { _ = try connection.rows("SELECT pg_terminate_backend(pg_backend_pid())") }
        #expect(error.code == .unreachable)
        #expect(error.description.contains("terminating connection due to administrator command"))
    }

    @Test func `a commit whose wait for a standby was cancelled counts as not confirmed`() async throws {
        let alone = try await Blocking.run { try PostgresServer(settings: ["synchronous_standby_names=nobody"]) }
        let address = try PostgresAddress(alone.address(schema: "public"))
        let thread = PostgresThread(name: "waiting", address: address, settings: .patient)
        let waiting = Task {
            try await thread.run { connection throws(QueueError) in try connection.execute("CREATE TABLE job ()") }
        }
        let other = PostgresThread(name: "cancelling", address: address, settings: .patient)
        try await other.run { connection throws(QueueError) in try connection.execute(Self.cancelsTheWait) }
        let error = await #expect(throws: QueueError.self) { try await waiting.value }
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("stopped waiting for its synchronous standby") == true)
        #expect(error?.description.contains("wasn't confirmed") == true)
        try await other.run { connection throws(QueueError) in try connection.execute("SELECT FROM job") }
        await thread.stop()
        await other.stop()
    }

    /// Cancels the first commit that waits for a standby. A loop in the server, because no notification tells of the wait.
    private static let cancelsTheWait = """
        DO $$ BEGIN
            LOOP
                PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep';
                EXIT WHEN FOUND;
                PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
            END LOOP;
        END $$
        """

    @Test func `notifications arrive, and without one the wait ends`() throws {
        let (listener, sender) = (try PostgresServer.connection(), try PostgresServer.connection())
        let channel = "channel_\(UInt32.random(in: 0...UInt32.max))"
        try listener.execute("LISTEN \(channel)")
        #expect(try listener.waitForNotifications(.zero) == [])
        try sender.execute("NOTIFY \(channel)")
        #expect(try listener.waitForNotifications(.seconds(300)) == [channel])
        #expect(try listener.waitForNotifications(.milliseconds(5)) == [])
        let process = try listener.serverProcess()
        _ = try sender.rows("SELECT pg_terminate_backend($1::int4, 10000)", .int4(process))
        #expect(try queueError { _ = try listener.waitForNotifications(.seconds(300)) }.code == .unreachable)
    }
}
