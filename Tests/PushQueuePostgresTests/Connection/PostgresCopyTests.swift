import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresCopyTests {
    private let connection: PostgresConnection
    private let sql = "COPY job (id, name, payload) FROM STDIN (FORMAT binary)"

    init() throws {
        connection = try PostgresServer.connection()
        try connection.execute("CREATE TABLE job (id int8 PRIMARY KEY, name text, payload bytea)")
    }

    private func rows(_ ids: some Sequence<Int64>, payload: [UInt8] = [1]) -> PostgresCopy {
        var copy = PostgresCopy(columns: 3, rows: 10)
        for id in ids {
            copy.beginRow()
            copy.add(.int8(id))
            copy.add(id % 2 == 0 ? .null : .text("job \(id)"))
            copy.add(.bytes(payload))
        }
        return copy
    }

    @Test func `rows are added`() throws {
        #expect(rows(1...3).count == 3)
        #expect(try connection.copy(sql, rows(1...3)) == 3)
        let stored = try connection.rows("SELECT id, name, payload FROM job ORDER BY id")
        #expect(stored.map { $0.integer(0) } == [1, 2, 3])
        #expect(stored.map { row in row.optional(1) { $0.text($1) } } == ["job 1", nil, "job 3"])
        #expect(stored.map { $0.bytes(2) } == [[1], [1], [1]])
    }

    @Test func `no rows are fine`() throws {
        #expect(try connection.copy(sql, rows([])) == 0)
    }

    @Test func `many megabytes are added`() throws {
        #expect(try connection.copy(sql, rows(1...2000, payload: Array(repeating: 7, count: 4000))) == 2000)
        #expect(try connection.rows("SELECT sum(length(payload))::int8 FROM job").first?.number(0) == 8_000_000)
    }

    @Test func `one wrong row takes all back and the connection stays`() throws {
        let error = try queueError { _ = try connection.copy(sql, rows([1, 2, 1])) }
        #expect(error.code == .defect)
        #expect(error.description.contains("23505"))
        #expect(try connection.rows("SELECT count(*) FROM job").first?.number(0) == 0)
    }

    @Test func `a wrong table is an error and the connection stays`() throws {
        let error = try queueError { _ = try connection.copy("COPY nothing FROM STDIN (FORMAT binary)", rows([1])) }
        #expect(error.description.contains("42P01"))
        #expect(!connection.isBroken)
    }
}
