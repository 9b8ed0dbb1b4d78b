import PushQueue
import QueueConformance
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled))
struct PlanTests {
    private let noID = "00000000-0000-0000-0000-000000000000"

    /// The plan of a statement on the connection of a writer, while the server takes the tables for small.
    private func plan(_ sql: String, _ values: String) async throws -> String {
        let server = try #require(try PostgresServer.shared())
        let address = try PostgresAddress(server.address(schema: server.newSchema()))
        let queue = try await PostgresQueue(address, options: .patient)
        _ = try await queue.add((0..<50).map { .sample($0) })
        let settings = PostgresQueue.Options.patient.writingSettings
        let thread = PostgresThread(name: "plan", address: address, settings: settings)
        let lines = try await thread.run { (connection) throws(QueueError) in
            try connection.execute("PREPARE wanted AS \(sql)")
            let explain = PostgresText("EXPLAIN EXECUTE wanted (\(values))")
            return try connection.run(PostgresStatement(explain, [])).map { $0.text(0) }
        }
        await thread.stop()
        await queue.close()
        return lines.joined(separator: "\n")
    }

    @Test func `a claim reads the first waiting jobs from their index, and sorts nothing before`() async throws {
        let plan = try await plan(PostgresText.claim.sql, "1, 1::int2, 1, 500, 1, 0, '\(noID)'")
        #expect(plan.contains("Index Scan using job_waiting") || plan.contains("Index Only Scan using job_waiting"))
        #expect(plan.contains("Tid Scan on job"))
        #expect(plan.contains(/Index Cond: .*ROW\(due, id\) >= ROW\(/))
        #expect(plan.ranges(of: /Index Cond: \(\(app = \S+\) AND \(job = taken\.id\)\)/).count == 1)
        #expect(!plan.contains("Seq Scan") && !plan.contains("Hash"))
        // The jobs that were taken are sorted at the end, and nothing else is.
        #expect(plan.ranges(of: "Sort Key").count == 1)
    }

    @Test func `what has expired is found in the index of waiting jobs, by app and priority`() async throws {
        let plan = try await plan(PostgresText.overdue.sql, "'{0,1,2}', 1, 500, '{}', '{}', '{}'")
        #expect(plan.contains("job_waiting"))
        #expect(plan.contains("Index Cond: ((app = app.id) AND (priority = (p.priority)::smallint)"))
        #expect(plan.ranges(of: /Index Cond: .*ROW\(due, id\) >= ROW\(/).count == 2)
        #expect(!plan.contains("Sort"))
    }

    @Test func `the next due time is found in the index of waiting jobs, above the floor`() async throws {
        let plan = try await plan(PostgresText.nextDue.sql, "'{shop}', '{}', '{}', '{}'")
        #expect(plan.contains("using job_waiting"))
        #expect(plan.contains(/Index Cond: .*ROW\(due, id\) >= ROW\(/))
        #expect(!plan.contains("Sort"))
    }

    @Test(arguments: [
        (PostgresText.start.sql, "'{1}', '{}', '{1}', 1"),
        (PostgresText.complete.sql, "'{1}', '{}', '{1}', '{0}', '{}', '{}', '{}', '{}', 0, 0, 0, 0"),
        (PostgresText.finish.sql, "'{1}', '{}', '{1}', '{0}', '{}', '{}', '{}', '{}', 0, '{}', 0, 0"),
    ])
    func `a step of a worker finds its jobs by their key`(sql: String, values: String) async throws {
        let plan = try await plan(sql, values)
        #expect(plan.ranges(of: /Index Cond: \(\(app = \w+\.app\) AND \(id = \w+\.id\)\)/).count >= 1, "\(plan)")
        #expect(!plan.contains("Seq Scan") && !plan.contains("Hash Join"))
    }
}
