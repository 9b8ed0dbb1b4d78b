import Foundation
import PushPlatform
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

/// A team's table of devices on a server.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(10))) struct PostgresRecipientsTests {
    private let address: PostgresAddress
    private let team: PostgresConnection

    private static let ofUser = "SELECT token, registered_at, kind FROM devices WHERE user_id = $1 ORDER BY id"
    private static let vip = "SELECT id, token FROM devices WHERE id > $1 ORDER BY id LIMIT $2"
    /// So long that no machine is too slow.
    private static let patience = 60
    private static let gone = "DELETE FROM devices WHERE token = $1 AND registered_at <= $2;\n"

    init() throws {
        address = try PostgresServer.addressWithSchema()
        team = try PostgresConnection(address, .patient)
        try team.execute(
            """
            CREATE TABLE devices (
                id bigserial PRIMARY KEY, user_id bigint, token text, registered_at timestamptz, kind varchar(20));
            INSERT INTO devices (user_id, token, registered_at, kind) VALUES
                (1, 'aa', '2026-01-02T03:04:05.678Z', 'device'), (1, 'bb', NULL, NULL), (2, 'cc', NULL, 'voip');
            """)
    }

    private func table(
        _ ofUser: String = ofUser, vip: String = vip, gone: String? = gone, patience: Int = patience
    ) -> PostgresRecipients {
        let queries = RecipientQueries(ofUser: ofUser, audiences: ["vip": vip], gone: gone)
        return PostgresRecipients(address, queries, patience: patience)
    }

    private func tokens() throws -> [String] {
        try team.rows("SELECT token FROM devices ORDER BY id").map { $0.text(0) }
    }

    @Test func `devices come in the order of the users, with what their row has`() async throws {
        let found = try await table().devices(of: ["2", "1", "7"], atClaim: true)
        let registered = try #require(QueueTime(rfc3339Text: "2026-01-02T03:04:05.678Z"))
        #expect(
            found == [
                [RecipientDevice("cc", kind: "voip")],
                [RecipientDevice("aa", registered: registered), RecipientDevice("bb")], [],
            ])
    }

    @Test func `a device without a token is none of the user's, and has a place in an audience`() async throws {
        try team.execute(
            """
            INSERT INTO devices (user_id, token) SELECT 1, NULL FROM generate_series(1, 200);
            INSERT INTO devices (id, user_id, token) VALUES (1000, 1, 'dd')
            """)
        #expect(try await table().devices(of: ["1"], atClaim: false)[0].map(\.token) == ["aa", "bb", "dd"])
        #expect(try await table().page(of: "vip", after: 3, limit: 1) == [AudienceDevice(4, nil)])
    }

    @Test func `functions of others in the schema of the table are not called`() async throws {
        try team.addHostileFunctions(to: address.schema)
        let table = table()
        #expect(try await table.check().isEmpty)
        #expect(try await table.devices(of: ["1"], atClaim: true)[0].map(\.token) == ["aa", "bb"])
        #expect(try await table.page(of: "vip", after: 0, limit: 1).map(\.token) == ["aa"])
        #expect(try await table.count(of: "vip") == 3)
        try await table.delete([
            GoneToken("aa", since: try #require(QueueTime(rfc3339Text: "2026-01-03T00:00:00.000Z")))
        ])
    }

    @Test func `columns for the time and the kind may be missing, and parameters have the type of their column`()
        async throws
    {
        try team.execute("ALTER TABLE devices ADD person uuid DEFAULT '00000000-0000-7000-8000-000000000001'")
        for (sql, user, count) in [
            ("SELECT token FROM devices WHERE user_id = $1 -- all", "1", 2),
            ("SELECT upper(token) AS token FROM devices WHERE person = $1;", "00000000-0000-7000-8000-000000000001", 3),
            ("SELECT token, registered_at::timestamp AS registered_at FROM devices WHERE token = $1", "aa", 1),
        ] {
            let table = table(sql)
            #expect(try await table.check().isEmpty)
            #expect(try await table.devices(of: [user], atClaim: false)[0].count == count, "\(sql)")
        }
    }

    @Test func `users and gone tokens are asked for in parts, each with the time of one question`() async throws {
        try team.execute(
            """
            INSERT INTO devices (user_id, token, registered_at)
            SELECT n, 'token ' || n, '2026-01-01' FROM generate_series(101, 170) n
            """)
        let table = table(
            "SELECT token FROM devices WHERE CASE WHEN user_id = $1 THEN pg_sleep(0.1) IS NOT NULL END",
            gone:
                "DELETE FROM devices WHERE CASE WHEN token = $1 AND registered_at <= $2 THEN pg_sleep(0.1) IS NOT NULL END",
            patience: 1)
        // On a slow machine, the first parts may have too many.
        func repeating<Value>(_ body: () async throws -> Value) async throws -> Value {
            for _ in 1...9 {
                do { return try await body() } catch let error as QueueError where error.mayPass {}
            }
            return try await body()
        }
        let found = try await repeating { try await table.devices(of: (101...170).map { "\($0)" }, atClaim: true) }
        // 70 of them take 7 s, and no part begins after 5.
        #expect(!found.isEmpty && found.count < 70)
        #expect(found.map { $0.map(\.token) } == (101...170).prefix(found.count).map { ["token \($0)"] })
        let gone = (101...170).map { GoneToken("token \($0)", since: .now) }
        try await repeating { try await table.delete(gone) }
        #expect(try tokens() == ["aa", "bb", "cc"])
    }

    @Test func `the schema of the address counts in each transaction, and one that is the usual one, too`() async throws
    {
        // PgBouncer drops what a connection begins with.
        let table = table(
            "SELECT setting || ' ' || source AS token FROM pg_settings WHERE name = 'search_path' AND $1 = ''")
        #expect(try await table.devices(of: [""], atClaim: true)[0].map(\.token) == ["\(address.schema) session"])
        let server = try #require(try PostgresServer.shared())
        let queries = RecipientQueries(ofUser: "SELECT current_setting('search_path') AS token WHERE $1 = ''")
        for (text, path) in [("?schema=pushserve", "pushserve"), ("", #""$user", public"#)] {
            let address = try PostgresAddress(server.address(schema: "x").replacing("?schema=x", with: text))
            let found = try await PostgresRecipients(address, queries, patience: Self.patience).devices(
                of: [""], atClaim: true)
            #expect(found[0].map(\.token) == [path])
        }
    }

    @Test func `an answer about a user is bounded`() async throws {
        try team.execute("INSERT INTO devices (user_id, token) SELECT 9, 'dd' FROM generate_series(1, 1000)")
        let found = try await table().devices(of: ["9"], atClaim: false)
        #expect(found[0].count == RecipientDevice.maximum + 1)
    }

    @Test func `a text that is no token is read in part`() async throws {
        let long =
            "SELECT repeat('x', 10000000) AS token, repeat('k', 10000000) AS kind FROM devices WHERE user_id = $1"
        let found = try await table(long).devices(of: ["2"], atClaim: false)
        #expect(found[0].first?.token.count == 1024 && found[0].first?.kind.count == 1024)
        let page = table(vip: "SELECT id, repeat('x', 10000000) AS token FROM devices WHERE id > $1 LIMIT $2")
        #expect(try await page.page(of: "vip", after: 0, limit: 1)[0].token?.count == 1024)
    }

    @Test func `a value that does not fit is no failure of the table, and no message shows it`() async throws {
        let table = table()
        let error = await #expect(throws: QueueError.self) {
            _ = try await table.devices(of: ["1", "secret"], atClaim: false)
        }
        #expect(error?.code == .invalid && error?.description.contains("secret") == false, "\(error as Any)")
        #expect(try await table.devices(of: ["2"], atClaim: false)[0].count == 1)
    }

    @Test(arguments: [
        "WITH gone AS (DELETE FROM devices WHERE user_id = $1 RETURNING token) SELECT token FROM gone",
        "SELECT token FROM devices WHERE user_id = $1 AND id <> 'x'",
    ])
    func `a statement that no user fits is wrong itself`(sql: String) async throws {
        let table = table(sql)
        #expect(try await table.check().mapValues(\.code) == ["of_user": .damaged])
        let error = await #expect(throws: QueueError.self) { _ = try await table.devices(of: ["1"], atClaim: true) }
        #expect(error?.code == .damaged, "\(error as Any)")
        #expect(try tokens().count == 3)
    }

    @Test(arguments: ["$1::regclass", "$1::regrole", "to_tsquery('simple', $1 || ' &')"])
    func `a statement that quotes its value in an error does not show it`(value: String) async throws {
        let table = table("SELECT token FROM devices WHERE \(value) IS NOT NULL")
        #expect(try await table.check().isEmpty)
        let error = await #expect(throws: QueueError.self) {
            _ = try await table.devices(of: ["secret"], atClaim: false)
        }
        #expect(error?.description.contains("secret") == false, "\(error as Any)")
        #expect(error?.description.contains("SQLSTATE 42") == true, "\(error as Any)")
    }

    @Test func `a row that others refer to names the constraint`() async throws {
        try team.execute(
            """
            ALTER TABLE devices ADD CONSTRAINT one_token UNIQUE (token);
            CREATE TABLE orders (device text CONSTRAINT order_device REFERENCES devices (token)); INSERT INTO orders VALUES ('aa')
            """)
        let table = table()
        let time = try #require(QueueTime(rfc3339Text: "2026-01-03T00:00:00.000Z"))
        let error = await #expect(throws: QueueError.self) { try await table.delete([GoneToken("aa", since: time)]) }
        #expect(
            error?.description.contains("the constraint \"order_device\" (SQLSTATE 23503)") == true, "\(error as Any)")
        #expect(error?.code == .invalid)
        #expect(try tokens().count == 3)
    }

    @Test(arguments: [
        "ALTER TABLE devices RENAME TO phones",
        """
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM missing; RETURN OLD; END $$;
        CREATE TRIGGER noting BEFORE DELETE ON devices FOR EACH ROW EXECUTE FUNCTION note()
        """,
    ])
    func `what refuses each deletion is not the fault of one token`(change: String) async throws {
        try team.execute(change)
        let table = table()
        let time = try #require(QueueTime(rfc3339Text: "2026-01-03T00:00:00.000Z"))
        let error = await #expect(throws: QueueError.self) { try await table.delete([GoneToken("aa", since: time)]) }
        #expect(error?.code == .damaged, "\(error as Any)")
    }

    @Test func `pages of an audience go on after an id, and are bounded whatever the query says`() async throws {
        let page = try await table().page(of: "vip", after: 1, limit: 1)
        #expect(page == [AudienceDevice(2, "bb")])
        #expect(try await table().count(of: "vip") == 3)
        let all = table(vip: "SELECT id, token FROM devices WHERE $1::int8 IS NOT NULL AND $2::int8 > 0 ORDER BY id")
        #expect(try await all.page(of: "vip", after: 2, limit: 2).count == 2)
        let rubbish = table(vip: "SELECT NULL::int8 AS id, NULL AS token WHERE $1::int8 >= 0 AND $2::int8 > 0")
        #expect(try await rubbish.page(of: "vip", after: 0, limit: 2) == [AudienceDevice(nil, nil)])
        let unknown = await #expect(throws: QueueError.self) {
            _ = try await table().page(of: "other", after: 0, limit: 1)
        }
        #expect(unknown?.code == .damaged)
    }

    @Test func `gone tokens are deleted unless they were registered again since`() async throws {
        let time = try #require(QueueTime(rfc3339Text: "2026-01-02T03:04:05.677Z"))
        try await table().delete([GoneToken("aa", since: time)])
        #expect(try tokens() == ["aa", "bb", "cc"])
        try await table().delete([GoneToken("aa", since: time + .milliseconds(1)), GoneToken("zz", since: time)])
        #expect(try tokens() == ["bb", "cc"])
    }

    @Test func `only the statement for gone tokens may write`() async throws {
        try team.execute(
            """
            CREATE FUNCTION wipe(bigint) RETURNS TABLE (token text) LANGUAGE sql AS
            $$ DELETE FROM devices WHERE user_id = $1 RETURNING token $$
            """)
        let table = table("SELECT token FROM wipe($1)")
        let error = await #expect(throws: QueueError.self) { _ = try await table.devices(of: ["1"], atClaim: false) }
        #expect(error?.description.contains("read-only") == true, "\(error as Any)")
        #expect(try tokens().count == 3)
    }

    /// A wrong statement, and words of what the check says about it.
    static let mistakes: [(ofUser: String, vip: String, gone: String, words: String)] = [
        ("SELECT tokn FROM devices WHERE user_id = $1", vip, gone, "of_user: "),
        ("SELECT token FROM device WHERE user_id = $1", vip, gone, "\"device\" does not exist"),
        ("SELECT token FROM devices", vip, gone, "requires 0"),
        ("SELECT token FROM devices WHERE user_id = $1 AND id = $2", vip, gone, "requires 2"),
        ("SELECT token FROM devices WHERE", vip, gone, "syntax error"),
        ("DELETE FROM devices WHERE user_id = $1 RETURNING token", vip, gone, "syntax error"),
        ("SELECT token, token AS registered_at FROM devices WHERE user_id = $1", vip, gone, "of_user: "),
        (ofUser, "SELECT token FROM devices WHERE $1 < $2", gone, "the audience \"vip\": "),
        (ofUser, "SELECT id, token FROM devices WHERE id > $1 ORDER BY id", gone, "the audience \"vip\": "),
        (ofUser, vip, "DELETE FROM devices WHERE tok = $1 AND registered_at <= $2", "gone: "),
        (ofUser, vip, "DELETE FROM devices", "gone: "),
    ]

    @Test(arguments: 0..<11) func `the check finds a wrong statement, and runs none`(number: Int) async throws {
        let wrong = Self.mistakes[number]
        let table = table(wrong.ofUser, vip: wrong.vip, gone: wrong.gone)
        let found = try await table.check()
        #expect(found.count == 1 && found.contains { "\($0): \($1)".contains(wrong.words) }, "\(found)")
        #expect(try tokens().count == 3)
    }

    @Test func `the check of right statements runs none of them`() async throws {
        #expect(try await table().check().isEmpty)
        #expect(try await table(gone: nil).check().isEmpty)
        #expect(try tokens().count == 3)
    }

    @Test func `a role that only reads is enough, unless tokens are to be deleted`() async throws {
        let role = "reader_\(address.schema)"
        try team.execute(
            """
            CREATE ROLE \(role) LOGIN PASSWORD '\(PostgresServer.password)'; ALTER ROLE \(role) SET default_transaction_read_only = on;
            GRANT USAGE ON SCHEMA \(address.schema) TO \(role); GRANT SELECT ON devices TO \(role)
            """)
        let server = try #require(try PostgresServer.shared())
        let text = server.address(schema: address.schema).replacing("//\(PostgresServer.user):", with: "//\(role):")
        func table(gone: String?) throws -> PostgresRecipients {
            let queries = RecipientQueries(ofUser: Self.ofUser, gone: gone)
            return PostgresRecipients(try PostgresAddress(text), queries, patience: Self.patience)
        }
        #expect(try await table(gone: nil).devices(of: ["1"], atClaim: true)[0].count == 2)
        // Hidden devices aren't missing ones.
        try team.execute("ALTER TABLE devices ENABLE ROW LEVEL SECURITY")
        await #expect(throws: QueueError.self) { try await table(gone: nil).devices(of: ["1"], atClaim: true) }
        try team.execute("ALTER TABLE devices DISABLE ROW LEVEL SECURITY")
        let error = await #expect(throws: QueueError.self) { try await table(gone: Self.gone).check() }
        #expect(error?.description.contains("default_transaction_read_only is on") == true, "\(error as Any)")
    }

    @Test func `a slow query ends after its limit, and the next one works`() async throws {
        let table = table(
            "SELECT token FROM devices, pg_sleep(CASE WHEN user_id = 2 THEN 600 ELSE 0 END) WHERE user_id = $1",
            patience: 4)
        let error = await #expect(throws: QueueError.self) { _ = try await table.devices(of: ["2"], atClaim: true) }
        #expect([.busy, .unreachable].contains(error?.code), "\(error as Any)")
        #expect(try await table.devices(of: ["1"], atClaim: true)[0].count == 2)
    }

    @Test func `a connection that breaks, and a table that changes, are no lasting failures`() async throws {
        let (server, name) = (try #require(try PostgresServer.shared()), "devices-\(address.schema)")
        let named = try PostgresAddress("\(server.address(schema: address.schema))&application_name=\(name)")
        let table = PostgresRecipients(named, RecipientQueries(ofUser: Self.ofUser), patience: Self.patience)
        _ = try await table.devices(of: ["1"], atClaim: true)
        try team.execute("ALTER TABLE devices ALTER token TYPE varchar(100)")
        #expect(try await table.devices(of: ["1"], atClaim: true)[0].count == 2)
        try team.execute(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '\(name)'
            """)
        #expect(try await table.devices(of: ["1"], atClaim: true)[0].count == 2)
    }

    @Test func `a server that is gone is named without its password`() async throws {
        let gone = try PostgresAddress("postgres://shop:secret@127.0.0.1:1/shop")
        let table = PostgresRecipients(gone, RecipientQueries(ofUser: Self.ofUser), patience: Self.patience)
        let error = await #expect(throws: QueueError.self) { _ = try await table.devices(of: ["1"], atClaim: true) }
        #expect(error?.code == .unreachable && error?.description.contains("secret") == false, "\(error as Any)")
    }
}

extension QueueTime {
    /// A time of RFC 3339.
    fileprivate init?(rfc3339Text text: String) {
        guard let date = ISO8601DateFormatter.exact.date(from: text) else { return nil }
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
}

extension ISO8601DateFormatter {
    fileprivate static var exact: ISO8601DateFormatter {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter
    }
}
