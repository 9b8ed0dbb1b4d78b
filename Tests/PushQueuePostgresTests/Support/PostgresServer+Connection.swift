import NIOConcurrencyHelpers
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

extension PostgresServer {
    /// A connection to the shared server, with a schema of its own.
    static func connection(_ settings: PostgresSettings = .patient) throws -> PostgresConnection {
        try PostgresConnection(addressWithSchema(), settings)
    }

    /// An address on the shared server, with a schema of its own.
    static func addressWithSchema() throws -> PostgresAddress {
        let server = try #require(try shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        try PostgresConnection(address, .patient).execute("CREATE SCHEMA \(address.schema)")
        return address
    }

    /// The text of an address on the shared server, with a database of its own.
    static func addressWithDatabase() throws -> String {
        let server = try #require(try shared())
        let schema = server.newSchema()
        try connection().execute("CREATE DATABASE own_\(schema)")
        return server.address(schema: schema).replacing("/postgres?", with: "/own_\(schema)?")
    }
}

extension PostgresConnection {
    /// Runs one statement with values.
    func rows(_ sql: String, _ values: PostgresValue...) throws -> PostgresRows {
        try run(PostgresStatement(PostgresText(sql), values))
    }

    /// The number of the process of the server that serves this connection.
    func serverProcess() throws -> pid_t {
        pid_t(try rows("SELECT pg_backend_pid()").first?.number(0) ?? 0)
    }
}

/// The error that a body throws.
func queueError(_ body: () throws -> Void) throws -> QueueError {
    try #require(#expect(throws: QueueError.self) { try body() })
}

extension PostgresSettings {
    /// Settings whose limits no test reaches, even on a busy machine.
    static var patient: PostgresSettings {
        PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300))
    }
}

/// Collects warnings.
final class Warnings: Sendable {
    private let texts = NIOLockedValueBox([String]())

    var all: [String] { texts.withLockedValue { $0 } }

    func add(_ text: String) { texts.withLockedValue { $0.append(text) } }
}
