import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

/// Migrations that take longer than a statement may.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10)))
struct MigrationTests {
    /// Runs a body with the limit of a statement in seconds, and again with a longer one, if the machine was too slow for it.
    private func withLimit(_ body: (_ seconds: Int) async throws -> Void) async throws {
        for seconds in [5, 20] {
            do { return try await body(seconds) } catch let error as QueueError
                where [.busy, .unreachable].contains(error.code)
            {}
        }
        try await body(60)
    }

    private func address() throws -> PostgresAddress {
        let server = try #require(try PostgresServer.shared())
        return try PostgresAddress(server.address(schema: server.newSchema()))
    }

    private func options(_ seconds: Int) -> PostgresQueue.Options {
        var options = PostgresQueue.Options.patient
        options.statementTime = .seconds(seconds)
        return options
    }

    @Test func `a step of a migration may take longer than other statements`() async throws {
        try await withLimit { seconds in
            let address = try address()
            let thread = PostgresThread(name: "slow", address: address, settings: options(seconds).readingSettings)
            let sleep = "SELECT pg_sleep(\(seconds + 1))"
            try await thread.run { (connection) throws(QueueError) in
                try PostgresSchema.migrate(
                    connection, address, createsTables: true, migrations: PostgresSchema.migrations + [sleep]
                ) { _ in }
            }
            // The limits are the usual ones afterwards.
            let error = await #expect(throws: QueueError.self) {
                try await thread.run { (connection) throws(QueueError) in
                    try connection.execute("SELECT pg_sleep(600)")
                }
            }
            #expect(error?.code == .busy || error?.code == .unreachable)
            await thread.stop()
            let other = await #expect(throws: QueueError.self) {
                _ = try await PostgresQueue(address, options: .patient)
            }
            #expect(other?.code == .newerVersion)
        }
    }

    @Test func `a worker waits for another one that migrates, however long that takes, and says so once`()
        async throws
    {
        try await withLimit { seconds in
            let address = try address()
            let warnings = Warnings()
            var options = options(seconds)
            options.report = { warnings.add($0) }
            // It holds the lock as another worker would.
            let holder = try PostgresConnection(address, .patient)
            try holder.execute(
                "BEGIN; SELECT pg_advisory_xact_lock(\(0x5075_5175)::bigint + hashtext('\(address.schema)'))")
            let (wish, isOver) = (options, Watched(false))
            let opening = Task {
                defer { isOver.change { $0 = true } }
                return try await PostgresQueue(address, options: wish)
            }
            while warnings.all.isEmpty, !isOver.value {
                try Task.checkCancellation()
                try await Task.sleep(for: .milliseconds(10))
            }
            // It waits for longer than the limit of a statement, which must not end it.
            try await Task.sleep(for: .seconds(seconds + 1))
            try holder.execute("ROLLBACK")
            let queue = try await opening.value
            #expect(try await queue.add([.sample()]).count == 1)
            let words = "Another worker migrates the tables in the schema \(address.schema)"
            #expect(warnings.all.count { $0.hasPrefix(words) } == 1, "\(warnings.all)")
            await queue.close()
        }
    }
}
