import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresPipelineTests {
    private let connection: PostgresConnection
    private let insert = PostgresText("INSERT INTO number SELECT unnest($1::int8[])")
    private let count = PostgresText("SELECT count(*) FROM number")

    init() throws {
        connection = try PostgresServer.connection()
        try connection.execute("CREATE TABLE number (value int8 PRIMARY KEY)")
    }

    private func stored() throws -> Int { try connection.run(PostgresStatement(count, [])).first?.number(0) ?? -1 }

    @Test func `each statement has its result`() throws {
        let results = try connection.run([
            PostgresStatement(insert, [.int8s([1, 2])]), PostgresStatement(count, []),
            PostgresStatement(insert, [.int8s([3])]), PostgresStatement(count, []),
        ])
        #expect(results.map(\.affected) == [2, 1, 1, 1])
        #expect(results.map { $0.first?.number(0) } == [nil, 2, nil, 3])
    }

    @Test func `an error skips the rest and takes back what was before`() throws {
        let error = try queueError {
            _ = try connection.run([
                PostgresStatement(insert, [.int8s([1])]), PostgresStatement(insert, [.int8s([1])]),
                PostgresStatement(insert, [.int8s([2])]),
            ])
        }
        #expect(error.code == .defect)
        #expect(error.description.contains("23505"))
        #expect(error.description.contains("number_pkey"))
        // The details of the error contain the value.
        #expect(!error.description.contains("(value)=(1)"))
        #expect(!connection.isBroken)
        #expect(!connection.isInTransaction)
        #expect(try stored() == 0)
    }

    @Test func `an error in a transaction leaves it open until the end`() throws {
        try connection.execute("BEGIN")
        _ = try queueError { _ = try connection.rows("SELECT 1 / $1::int8", .int8(0)) }
        #expect(connection.isInTransaction)
        #expect(!connection.isBroken)
        try connection.execute("ROLLBACK")
        #expect(!connection.isInTransaction)
        #expect(try stored() == 0)
    }

    @Test func `a text that cannot be prepared fails each time`() throws {
        let text = PostgresText("SELECT nothing FROM nowhere")
        for _ in 0..<2 {
            let error = try queueError { _ = try connection.run(PostgresStatement(text, [])) }
            #expect(error.code == .damaged)
            #expect(error.description.contains("nowhere"))
        }
        #expect(try stored() == 0)
    }

    @Test func `a text that was skipped is prepared later`() throws {
        _ = try queueError {
            _ = try connection.run([
                PostgresStatement(PostgresText("SELECT 1 / 0"), []), PostgresStatement(count, []),
            ])
        }
        #expect(try stored() == 0)
    }

    @Test func `a statement is prepared again after its table changed`() throws {
        let all = PostgresText("SELECT * FROM number")
        _ = try connection.run(PostgresStatement(all, []))
        try connection.execute("ALTER TABLE number ADD COLUMN word text")
        let error = try queueError { _ = try connection.run(PostgresStatement(all, [])) }
        #expect(error.code == .conflict)
        #expect(try connection.run(PostgresStatement(all, [])).count == 0)
    }

    @Test func `no statements need no server`() throws {
        connection.close()
        #expect(try connection.run([]).isEmpty)
        #expect(connection.isBroken)
        #expect(try queueError { try connection.execute("SELECT 1") }.code == .unreachable)
    }

    @Test func `megabytes go through in both directions at once`() throws {
        let word = String(repeating: "x", count: 1_000_000)
        let echo = PostgresText("SELECT $1::text")
        let results = try connection.run(Array(repeating: PostgresStatement(echo, [.text(word)]), count: 20))
        #expect(results.count == 20)
        #expect(results.allSatisfy { $0.first?.text(0) == word })
    }

    @Test func `a statement that waits for a lock ends before the deadline and the connection stays`() throws {
        let address = try PostgresServer.addressWithSchema()
        let holder = try PostgresConnection(address, .patient)
        try holder.execute("CREATE TABLE held ()")
        try holder.execute("BEGIN; LOCK TABLE held")
        var settings = PostgresSettings.patient
        settings.onlyReads = true
        let waiting = try PostgresConnection(address, settings)
        #expect(settings.serverTime > .zero && settings.serverTime < settings.statementTime)
        let limit = try waiting.rows("SELECT setting FROM pg_settings WHERE name = 'statement_timeout'").first?.text(0)
        #expect(limit == "\(settings.serverTime.timeoutMilliseconds)")
        // The test does not wait for so long.
        try waiting.execute("SET statement_timeout = '10ms'")
        let error = try queueError { try waiting.execute("SELECT * FROM held") }
        #expect(error.code == .busy)
        #expect(!waiting.isBroken)
    }

    @Test func `a deadlock is a conflict`() throws {
        let error = try queueError {
            try connection.execute("DO $$ BEGIN RAISE EXCEPTION 'crossed' USING ERRCODE = '40P01'; END $$")
        }
        #expect(error.code == .conflict)
        #expect(error.description.contains("inline_code_block") && !error.description.contains("crossed"))
    }

    @Test func `notices are not printed and not errors`() throws {
        try connection.execute("DROP TABLE IF EXISTS nothing")
    }
}
