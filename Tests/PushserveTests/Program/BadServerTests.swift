import Foundation
import TestSupport
import Testing

@testable import PushQueuePostgres

/// What the built program says if it cannot use the PostgreSQL of its configuration: message, place, remedy, exit code, and no password.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct BadServerTests {
    private let ground: Ground
    private let server: PostgresServer

    init() throws {
        ground = try Ground()
        server = try #require(try PostgresServer.shared())
    }

    /// Writes a configuration with an address. A slow machine has all the time that it takes to connect.
    private func configure(_ address: String) throws {
        try ground.configure(database: "\"\(address)\(address.contains("?") ? "&" : "?")connect_timeout=600\"")
    }

    /// Both commands refuse an address with the same words.
    private func expectRefusal(
        _ address: String, status: Int32, _ words: [String], hides password: String = PostgresServer.password
    ) async throws {
        try configure(address)
        for command in ["run", "check"] {
            let ended = try await ground.pushserve(command)
            let text = ended.output + ended.errors
            #expect(ended.status == status, "\(command): \(text)")
            for word in words { #expect(text.contains(word), "\(command): \(word) is not in: \(text)") }
            #expect(!text.contains(password), "\(command): \(text)")
            if command == "run" {
                #expect(ended.output.isEmpty, "\(ended.output)")
                #expect(ended.errors.contains("pushserve: "), "\(ended.errors)")
            } else {
                #expect(ended.outputLines.contains { $0.hasPrefix("failed   database: ") }, "\(ended.output)")
            }
        }
    }

    /// Runs statements in a schema of the server.
    private func execute(_ statements: String..., at address: String) async throws {
        try await Blocking.run {
            let connection = try PostgresConnection(
                PostgresAddress(address), PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300)))
            for statement in statements { try connection.execute(statement) }
        }
    }

    // MARK: The server and the user

    @Test(arguments: [
        ("queue:secret@127.0.0.1:PORT/missing", "database \"missing\" does not exist", "CREATE DATABASE"),
        ("queue:hunter2@127.0.0.1:PORT/postgres", "password authentication failed", "Check the user and the password"),
        ("nobody:hunter2@127.0.0.1:PORT/postgres", "password authentication failed", "Check the user and the password"),
        ("queue:hunter2@127.0.0.1:PORT/postgres?sslmode=require", "server does not support SSL", "Turn on ssl"),
    ])
    func `a server that refuses the user is named, with the way out`(
        rest: String, reason: String, remedy: String
    ) async throws {
        let address = "postgres://" + rest.replacing("PORT", with: "\(server.port)")
        for password in ["hunter2", "secret"] {
            try await expectRefusal(
                address, status: 69, ["127.0.0.1:\(server.port)", reason, remedy], hides: password)
        }
    }

    @Test func `a password of the environment is not shown`() async throws {
        try configure("postgres://queue@127.0.0.1:\(server.port)/postgres")
        for command in ["run", "check"] {
            let ended = try await ground.pushserve(command, environment: ["PGPASSWORD": "hunter2"])
            let text = ended.output + ended.errors
            #expect(ended.status == 69, "\(text)")
            #expect(text.contains("in PGPASSWORD"), "\(text)")
            #expect(!text.contains("hunter2"), "\(text)")
        }
    }

    @Test func `a port without a server is named`() async throws {
        let port = try HeldPort()
        try await expectRefusal(
            "postgres://queue:secret@127.0.0.1:\(port.number)/postgres", status: 69,
            ["127.0.0.1:\(port.number): Connection refused.", "Check the host and the port, and that PostgreSQL runs"])
    }

    @Test func `a standby alone is refused`() async throws {
        let standby = try await Blocking.run { try PostgresServer(isStandby: true) }
        try await expectRefusal(
            standby.address(schema: "queue"), status: 69,
            ["127.0.0.1:\(standby.port): it is a standby, which accepts no writes", "Put the primary into the address"])
    }

    @Test func `a certificate that the CA of the address did not sign is refused`() async throws {
        let set = try CertificateSet.shared()
        let files = ["server.pem": try set.read("server.pem"), "server.key": try set.read("server.key")]
        let secure = try await Blocking.run {
            try PostgresServer(
                settings: ["ssl=on", "ssl_cert_file=../server.pem", "ssl_key_file=../server.key"], files: files)
        }
        let address = secure.address(schema: "queue") + "&sslmode=verify-full&sslrootcert="
        try await expectRefusal(
            address + set.path("universal-certificate.pem"), status: 69,
            ["127.0.0.1:\(secure.port)", "certificate verify failed", "Give the file of the right CA"])
        try await expectRefusal(
            address + ground.path("nowhere.pem"), status: 69,
            ["nowhere.pem\" does not exist", "sslrootcert", "127.0.0.1:\(secure.port)"])
        // With the right one, the rest of the address is right, too.
        try configure(address + set.path("ca.pem"))
        let right = try await ground.pushserve("check")
        #expect(right.status == 0, "\(right.output)\(right.errors)")
    }

    @Test func `a role without rights is refused with the command that helps`() async throws {
        let schema = server.newSchema()
        try await execute(
            "CREATE ROLE poor_\(schema) LOGIN PASSWORD 'hunter2'", at: server.address(schema: schema))
        let poor = "postgres://poor_\(schema):hunter2@127.0.0.1:\(server.port)/postgres?schema=\(schema)"
        try await expectRefusal(
            poor, status: 69,
            ["127.0.0.1:\(server.port)", "CREATE SCHEMA \(schema) AUTHORIZATION poor_\(schema);"], hides: "hunter2")
        try await execute(
            "ALTER ROLE poor_\(schema) SET default_transaction_read_only = on", at: server.address(schema: schema))
        try await expectRefusal(
            poor, status: 69,
            ["127.0.0.1:\(server.port)", "default_transaction_read_only is on", "turn the setting off"],
            hides: "hunter2")
    }

    // MARK: The tables

    @Test func `a schema of something else is refused, and stays as it is`() async throws {
        let schema = server.newSchema()
        let address = server.address(schema: schema)
        try await execute(
            "CREATE SCHEMA \(schema)", "CREATE TABLE job (id int8)", "INSERT INTO job VALUES (7)", at: address)
        try await expectRefusal(
            address, status: 65,
            [
                "The schema \(schema) of", "127.0.0.1:\(server.port)", "isn't a queue of this library",
                "add ?schema=NAME",
            ])
        try await execute("INSERT INTO job SELECT 8 WHERE 7 = (SELECT sum(id) FROM job)", at: address)
        // No table was made beside it, or this name would be taken.
        try await execute("CREATE TABLE queue (id int8)", "CREATE TABLE content (id int8)", at: address)
    }

    @Test func `a newer format is refused, and stays as it is`() async throws {
        let schema = server.newSchema()
        let address = server.address(schema: schema)
        await (try PostgresQueue(PostgresAddress(address))).close()
        try await execute("UPDATE queue SET format = format + 98", at: address)
        try await expectRefusal(
            address, status: 65,
            ["The queue in the schema \(schema) of", "127.0.0.1:\(server.port)", "has the format ", "restore a backup"])
        // Back at the format of this program, it is a queue as before.
        try await execute("UPDATE queue SET format = format - 98", at: address)
        try configure(address)
        let right = try await ground.pushserve("check")
        #expect(right.status == 0 && right.output.contains("can be written"), "\(right.output)\(right.errors)")
    }

    // MARK: Settings of the server

    @Test(arguments: ["fsync", "full_page_writes"])
    func `a server that would lose what it confirms is refused`(setting: String) async throws {
        let weak = try await Blocking.run { try PostgresServer(settings: ["\(setting)=off"]) }
        try await expectRefusal(
            weak.address(schema: "queue"), status: 73,
            ["127.0.0.1:\(weak.port)", "\(setting) isn't on", "Set it in postgresql.conf"])
    }

    @Test func `a role whose commits are not durable is used, with commits that are`() async throws {
        let schema = server.newSchema()
        try await execute(
            "CREATE ROLE hasty_\(schema) LOGIN PASSWORD 'hunter2'",
            "ALTER ROLE hasty_\(schema) SET synchronous_commit = off",
            "CREATE SCHEMA \(schema) AUTHORIZATION hasty_\(schema)", at: server.address(schema: schema))
        let address = "postgres://hasty_\(schema):hunter2@127.0.0.1:\(server.port)/postgres?schema=\(schema)"
        try configure(address)
        let checked = try await ground.pushserve("check")
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    }

    // MARK: The address

    @Test(arguments: [
        ("postgres://queue:hunter2@127.0.0.1/postgres?ssl_mode=require", "unknown parameter \"ssl_mode\""),
        ("postgres://queue:hunter2@127.0.0.1:99999/postgres", "has a wrong port"),
        ("postgres://queue:hunter2@127.0.0.1/postgres?schema=Shop-1", "has a wrong \"schema\""),
        ("mysql://queue:hunter2@127.0.0.1/postgres", "pushserve doesn't support \"mysql://\""),
    ])
    func `a mistake in the address is refused with its line`(address: String, reason: String) async throws {
        try ground.configure(database: "\"\(address)\"")
        for command in ["run", "check"] {
            let ended = try await ground.pushserve(command)
            let text = ended.output + ended.errors
            #expect(ended.status == 78, "\(text)")
            #expect(text.contains("pushserve.yaml:2:11: "), "\(text)")
            #expect(text.contains(reason), "\(text)")
            #expect(!text.contains("hunter2"), "\(text)")
        }
    }
}
