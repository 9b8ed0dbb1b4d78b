import Foundation
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The figures about PostgreSQL on the page of metrics.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60)))
struct DatabaseFiguresTests {
    private let ground: Ground

    init() throws {
        ground = try Ground()
    }

    private func page(_ port: Int) async throws -> String {
        let program = try ground.start(tool: [
            "curl", "-sS", "--max-time", "600", "--noproxy", "*", "http://127.0.0.1:\(port)/metrics",
        ])
        return await program.end().output
    }

    private func figure(_ name: String, _ port: Int) async throws -> Double {
        let text = try await page(port)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }, "\(name)\n\(text)")
        return try #require(Double(line.dropFirst(name.count + 1)))
    }

    /// Starts a service with a page of metrics. Another program can take the port first: then it gets another port.
    private func start(_ address: String) async throws -> (program: RunningProgram, port: Int) {
        var errors = ""
        for _ in 0..<5 {
            let port = try HeldPort()
            let number = port.number
            port.letGo()
            try ground.configure(database: "\"\(address)&connect_timeout=600\"", "metrics: 127.0.0.1:\(number)")
            let program = try ground.start(["run", "--json"], seconds: 3600)
            if await program.output.line(with: #""event":"ready""#) != nil { return (program, number) }
            errors = await program.end().errors
        }
        throw CannotStart(program: "pushserve run", reason: errors)
    }

    @Test func `an open transaction of another program shows, grows and goes`() async throws {
        // Alone on its server: in a shared one, the transactions of other tests count, too.
        let server = try await Blocking.run { try PostgresServer() }
        let (program, number) = try await start(server.address(schema: "queue"))
        let name = "pushserve_database_oldest_transaction_seconds"
        // The server ends a transaction that is idle for longer than four statements may take.
        let other = PostgresThread(
            name: "other", address: try PostgresAddress(server.address(schema: "queue")),
            settings: PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(3600)))
        try await other.run { (connection) throws(QueueError) in
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM queue")
        }
        var ages: [Double] = []
        while ages.count < 3 {
            let age = try await figure(name, number)
            // The worker has transactions, too. The one that stays open gets older than all of them.
            if age > (ages.last ?? 0.5) { ages.append(age) }
            try Task.checkCancellation()
        }
        #expect(try await figure("pushserve_database_hidden_connections", number) == 0)
        #expect(try await figure("pushserve_database_dead_rows", number) >= 0)
        await other.stop()
        while try await figure(name, number) >= ages[0] { try Task.checkCancellation() }
        program.signal(SIGTERM)
        let ended = await program.end()
        #expect(ended.status == 0, "\(ended.errors)")
    }
}
