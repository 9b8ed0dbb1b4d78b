import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

/// What a user reads who gave a wrong address.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresOpeningTests {
    private let server: PostgresServer

    init() throws {
        server = try #require(try PostgresServer.shared())
    }

    private func open(_ address: String, connectTime: Duration = .seconds(300)) throws -> PostgresConnection {
        var settings = PostgresSettings.patient
        settings.connectTime = connectTime
        return try PostgresConnection(PostgresAddress(address), settings)
    }

    private func failure(_ address: String, connectTime: Duration = .seconds(300)) throws -> QueueError {
        let error = try queueError { _ = try open(address, connectTime: connectTime) }
        #expect(!error.description.contains("secret"))
        return error
    }

    @Test func `the connection uses the schema, UTF-8 and its name`() throws {
        let connection = try open(server.address(schema: "of_mine"))
        let row = try #require(
            try connection.rows(
                """
                SELECT current_setting('search_path'), current_setting('client_encoding'), \
                current_setting('application_name'), current_setting('statement_timeout')
                """
            ).first)
        #expect((0..<4).map { row.text($0) } == ["\"of_mine\"", "UTF8", "pushserve", "0"])
    }

    @Test func `the address may set parameters of libpq`() throws {
        let connection = try open(
            server.address(schema: "of_mine")
                + "&application_name=mine&options=-c%20work_mem%3D7MB%20-c%20search_path%3Dpublic%20-c%20statement_timeout%3D7s"
        )
        let row = try #require(
            try connection.rows(
                """
                SELECT current_setting('search_path'), current_setting('application_name'), \
                current_setting('work_mem'), current_setting('statement_timeout')
                """
            ).first)
        #expect((0..<4).map { row.text($0) } == ["\"of_mine\"", "mine", "7MB", "0"])
    }

    @Test func `settings of the role that change what a transaction sees have no effect`() throws {
        let names = [
            "default_transaction_isolation": "serializable", "default_transaction_deferrable": "on",
            "client_min_messages": "error",
            "idle_session_timeout": "1ms",
        ]
        let role = "strict_\(server.newSchema())"
        try open(server.address(schema: "of_mine")).execute(
            "CREATE ROLE \(role) LOGIN; " + names.map { "ALTER ROLE \(role) SET \($0) = '\($1)';" }.joined())
        let connection = try PostgresConnection(
            PostgresAddress("postgres://\(role)@/postgres?host=\(server.folder)&port=\(server.port)&schema=of_mine"),
            PostgresQueueOptions().writingSettings)
        let found = try names.keys.sorted().map {
            try connection.rows("SELECT current_setting('\($0)')").first?.text(0)
        }
        #expect(found == ["notice", "off", "read committed", "0"])
    }

    @Test func `a Unix socket works`() throws {
        let connection = try open("postgres://queue@/postgres?host=\(server.folder)&port=\(server.port)")
        #expect(try connection.rows("SELECT 1").first?.number(0) == 1)
    }

    @Test func `a wrong password is refused`() throws {
        let error = try failure("postgres://queue:secret2@127.0.0.1:\(server.port)/postgres")
        #expect(error.code == .refused)
        #expect(
            error.description == """
                Can't connect to postgres://queue@127.0.0.1:\(server.port)/postgres: 127.0.0.1:\(server.port): password \
                authentication failed for user "queue". Check the user and the password in the address, in PGPASSWORD or in \
                ~/.pgpass.
                """)
    }

    @Test(arguments: [
        ("queue@127.0.0.1:PORT/postgres", "no password supplied", "PGPASSWORD"),
        ("queue:secret@127.0.0.1:PORT/missing", "database \"missing\" does not exist", "CREATE DATABASE"),
        ("nobody@/postgres?host=FOLDER&port=PORT", "role \"nobody\" does not exist", "CREATE ROLE"),
        ("queue:secret@127.0.0.1:PORT/postgres?sslmode=require", "server does not support SSL", "sslmode"),
    ])
    func `what the server refuses is said`(rest: String, reason: String, advice: String) throws {
        let rest = rest.replacing("PORT", with: "\(server.port)").replacing("FOLDER", with: server.folder)
        let error = try failure("postgres://\(rest)")
        #expect(error.code == .refused)
        #expect(error.description.contains(reason), "\(error)")
        #expect(error.description.contains(advice), "\(error)")
    }

    @Test(arguments: [
        ("sslmode=sometimes", "sslmode"), ("options=-c%20no_such_setting%3D1", "no_such_setting"),
    ])
    func `a wrong parameter is said`(parameter: String, words: String) throws {
        let error = try failure("postgres://queue:secret@127.0.0.1:\(server.port)/postgres?\(parameter)")
        #expect(error.code == .invalid)
        #expect(error.description.contains(words), "\(error)")
    }

    @Test func `a closed port is said`() throws {
        let port = try HeldPort()
        let error = try failure("postgres://queue:secret@127.0.0.1:\(port.number)/postgres")
        #expect(error.code == .unreachable)
        #expect(error.description.contains("127.0.0.1:\(port.number): Connection refused."), "\(error)")
        #expect(error.description.contains("Check the host and the port"))
    }

    @Test func `a silent host costs only its time, and the next one is used`() throws {
        let silent = try HeldPort(swallows: true)
        let hosts = "127.0.0.1:\(silent.number),127.0.0.1:\(server.port)"
        var opened: PostgresConnection?
        // On a busy machine, the other host may need more than its time, too.
        for _ in 0..<60 where opened == nil {
            opened = try? open("postgres://queue:secret@\(hosts)/postgres", connectTime: .seconds(1))
        }
        let connection = try #require(opened)
        #expect(try connection.rows("SELECT 1").first?.number(0) == 1)
        #expect(connection.endpoint.description.contains("(at 127.0.0.1:\(server.port))"))
        let error = try failure(
            "postgres://queue:secret@127.0.0.1:\(silent.number)/postgres", connectTime: .seconds(1))
        #expect(error.code == .unreachable)
        #expect(error.description.contains("didn't answer within 1.0 seconds"))
    }

    @Test func `a user without the right to write anywhere is reported`() throws {
        let connection = try open(server.address(schema: "of_mine"))
        try connection.execute("CREATE ROLE reader LOGIN PASSWORD 'secret'")
        defer { try? connection.execute("DROP ROLE reader") }
        let reader = try open("postgres://reader:secret@127.0.0.1:\(server.port)/postgres")
        #expect(try queueError { try reader.execute("CREATE SCHEMA mine") }.code == .refused)
        try connection.execute("ALTER ROLE reader SET default_transaction_read_only = on")
        let error = try failure("postgres://reader:secret@127.0.0.1:\(server.port)/postgres")
        #expect(error.code == .unreachable)
        #expect(error.description.contains("default_transaction_read_only"), "\(error)")
    }

    @Test func `too many connections are said`() async throws {
        let small = try await Blocking.run {
            try PostgresServer(settings: ["max_connections=5", "superuser_reserved_connections=0"])
        }
        var open: [PostgresConnection] = []
        let error = try queueError {
            for _ in 0..<6 { open.append(try self.open(small.address(schema: "of_mine"))) }
        }
        #expect(open.count == 5)
        #expect(error.code == .unreachable)
        #expect(error.description.contains("max_connections"), "\(error)")
    }

    @Test func `a standby is passed over, and alone it is an error`() async throws {
        let standby = try await Blocking.run { try PostgresServer(isStandby: true) }
        let error = try failure(standby.address(schema: "of_mine"))
        #expect(error.code == .unreachable)
        #expect(error.description.contains("it is a standby, which accepts no writes"), "\(error)")
        let both = "127.0.0.1:\(standby.port),127.0.0.1:\(server.port)"
        let connection = try open("postgres://queue:secret@\(both)/postgres")
        #expect(try connection.rows("SELECT pg_is_in_recovery()").first?.bool(0) == false)
        let closed = try HeldPort()
        let none = try failure("postgres://queue:secret@127.0.0.1:\(standby.port),127.0.0.1:\(closed.number)/postgres")
        #expect(none.description.contains("No server of postgres://queue@127.0.0.1:\(standby.port),"))
        #expect(none.description.contains("127.0.0.1:\(standby.port): it is a standby"))
        #expect(none.description.contains("127.0.0.1:\(closed.number): Connection refused"))
    }

    @Test func `TLS is checked against the CA and the name`() throws {
        let set = try CertificateSet.shared()
        let files = ["server.pem": try set.read("server.pem"), "server.key": try set.read("server.key")]
        let secure = try PostgresServer(
            settings: ["ssl=on", "ssl_cert_file=../server.pem", "ssl_key_file=../server.key"], files: files)
        let address = secure.address(schema: "of_mine") + "&sslmode=verify-full&sslrootcert="
        let connection = try open(address + set.path("ca.pem"))
        let text = PostgresText("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(try connection.run(PostgresStatement(text, [])).first?.bool(0) == true)
        let word = String(repeating: "x", count: 3_000_000)
        #expect(try connection.rows("SELECT $1::text", .text(word)).first?.text(0) == word)

        let wrongCA = try failure(address + set.path("universal-certificate.pem"))
        #expect(wrongCA.code == .refused)
        #expect(wrongCA.description.contains("certificate verify failed"), "\(wrongCA)")
        #expect(wrongCA.description.contains("Give the file of the right CA"), "\(wrongCA)")
        let noFile = try failure(address + "/nowhere")
        #expect(noFile.code == .refused)
        #expect(noFile.description.contains("\"/nowhere\" does not exist"), "\(noFile)")
        let wrongName = try failure(address + set.path("ca.pem") + "&host=other.example&hostaddr=127.0.0.1")
        #expect(wrongName.code == .refused)
        #expect(wrongName.description.contains("does not match host name \"other.example\""), "\(wrongName)")
    }
}
