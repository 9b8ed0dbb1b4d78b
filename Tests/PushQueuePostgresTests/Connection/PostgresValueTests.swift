import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresValueTests {
    private let connection: PostgresConnection

    init() throws {
        connection = try PostgresServer.connection()
    }

    @Test func `numbers come back as they were sent`() throws {
        let row = try #require(
            try connection.rows(
                "SELECT $1::int2, $2::int4, $3::int8, $4::bool, $5::bool, $6::int8",
                .int2(.min), .int4(-70_000), .int8(.max), .bool(true), .bool(false), .int8(0)
            ).first)
        #expect((0..<6).map { row.integer($0) } == [-32768, -70_000, .max, 1, 0, 0])
        #expect(row.bool(3))
        #expect(!row.bool(4))
    }

    @Test(arguments: ["", "a", "naïve 🌍 \n\t\\ ' \"", String(repeating: "long ", count: 100_000)])
    func `a text comes back as it was sent`(text: String) throws {
        let row = try #require(try connection.rows("SELECT $1::text, length($1::text)", .text(text)).first)
        #expect(row.text(0) == text)
        #expect(row.number(1) == text.unicodeScalars.count)
    }

    @Test func `bytes and UUIDs come back as they were sent`() throws {
        let (bytes, uuid) = (Array(0...255) as [UInt8], UUID())
        let row = try #require(
            try connection.rows(
                "SELECT $1::bytea, $2::uuid, $2::uuid::text, $3::bytea", .bytes(bytes), .uuid(uuid), .bytes([])
            ).first)
        #expect(row.bytes(0) == bytes)
        #expect(row.uuid(1) == uuid)
        #expect(row.text(2) == uuid.uuidString.lowercased())
        #expect(row.bytes(3).isEmpty)
        #expect(!row.isNull(3))
    }

    @Test func `NULL reads as nothing`() throws {
        let row = try #require(
            try connection.rows("SELECT $1::int8, $2::text, $3::uuid, $4::uuid[]", .null, .null, .null, .null).first)
        #expect((0..<4).allSatisfy { row.isNull($0) })
        #expect(row.integer(0) == 0)
        #expect(row.text(1).isEmpty)
        #expect(row.uuid(2) == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(row.uuids(3).isEmpty)
        #expect(row.optional(0) { $0.integer($1) } == nil)
    }

    @Test(arguments: [
        ("int2[]", PostgresValue.int2s([1, -2])), ("int4[]", .int4s([1, -2])), ("int8[]", .int8s([1, -2])),
        ("int2[]", .optionalInt2s([1, -2])), ("int8[]", .optionalInt8s([1, -2])),
        ("text[]", .texts(["1", "-2"])), ("text[]", .optionalTexts(["1", "-2"])),
    ])
    func `the elements of an array arrive in their order`(type: String, values: PostgresValue) throws {
        let rows = try connection.rows("SELECT value::text FROM unnest($1::\(type)) AS value", values)
        #expect(rows.map { $0.text(0) } == ["1", "-2"])
    }

    @Test(arguments: [
        ("int2[]", PostgresValue.optionalInt2s([nil, 7])), ("int8[]", .optionalInt8s([nil, 7])),
        ("text[]", .optionalTexts([nil, "7"])),
    ])
    func `NULL in an array stays NULL`(type: String, values: PostgresValue) throws {
        let rows = try connection.rows("SELECT value::text FROM unnest($1::\(type)) AS value", values)
        #expect(rows.map { row in row.optional(0) { $0.text($1) } } == [nil, "7"])
    }

    @Test func `arrays of bytes and UUIDs arrive`() throws {
        let (one, other) = (UUID(), UUID())
        let rows = try connection.rows(
            """
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::uuid[], $4::uuid[])
            """,
            .blobs([[1, 0, 2], []]), .optionalBlobs([nil, [9]]), .uuids([one, other]), .optionalUUIDs([other, nil]))
        #expect(rows.map { $0.bytes(0) } == [[1, 0, 2], []])
        #expect(rows.map { row in row.optional(1) { $0.bytes($1) } } == [nil, [9]])
        #expect(rows.map { $0.uuid(2) } == [one, other])
        #expect(rows.map { row in row.optional(3) { $0.uuid($1) } } == [other, nil])
    }

    @Test(arguments: [
        ("int2[]", PostgresValue.int2s([])), ("int8[]", .int8s([])), ("text[]", .texts([])), ("bytea[]", .blobs([])),
        ("uuid[]", .uuids([])), ("int8[]", .optionalInt8s([])),
    ])
    func `an empty array is empty and not NULL`(type: String, values: PostgresValue) throws {
        let row = try #require(try connection.rows("SELECT cardinality($1::\(type))", values).first)
        #expect(!row.isNull(0))
        #expect(row.number(0) == 0)
    }

    @Test func `an array of UUIDs is read`() throws {
        let uuids = (0..<3).map { _ in UUID() }
        let row = try #require(try connection.rows("SELECT $1::uuid[], $2::uuid[]", .uuids(uuids), .uuids([])).first)
        #expect(row.uuids(0) == uuids)
        #expect(row.uuids(1).isEmpty)
    }

    @Test func `thousands of rows come back`() throws {
        let numbers = (0..<5000).map { Int64($0) * 1_000_003 }
        let rows = try connection.rows(
            "SELECT value, value::text FROM unnest($1::int8[]) WITH ORDINALITY AS t(value, ordinal) ORDER BY ordinal",
            .int8s(numbers))
        #expect(rows.count == 5000)
        #expect(rows.affected == 5000)
        #expect(rows.map { $0.integer(0) } == numbers)
        #expect(rows.map { $0.text(1) } == numbers.map { "\($0)" })
    }
}
