import APNSVocabulary
import Foundation
import MockAPNs
import PushQueue
import TestSupport
import Testing

@testable import PushQueuePostgres

/// The built program with a team's own table of devices, and its queue in a file.
@Suite(.enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(60))) struct DeviceTableTests {
    private static let count = 20_000
    private let ground: Ground
    private let address: String
    /// The team's own program.
    private let team: PostgresThread

    init() async throws {
        ground = try Ground()
        let server = try #require(try await Blocking.run { try PostgresServer.shared() })
        let schema = server.newSchema()
        address = server.address(schema: schema) + "&connect_timeout=600"
        team = PostgresThread(
            name: "team", address: try PostgresAddress(address),
            settings: PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300)))
        try await team.run { (connection) throws(QueueError) in
            try connection.execute(
                """
                CREATE SCHEMA \(schema);
                CREATE TABLE devices (
                    id bigserial PRIMARY KEY, user_id bigint, token text, registered_at timestamptz DEFAULT now());
                CREATE INDEX ON devices (user_id);
                INSERT INTO devices (user_id, token)
                SELECT n, lpad(to_hex(n), 64, '0') FROM generate_series(1, \(Self.count)) n
                """)
        }
    }

    private func run(_ sql: String) async throws {
        try await team.run { (connection) throws(QueueError) in try connection.execute(sql) }
    }

    private func recipients(_ ofUser: String = "SELECT token FROM devices WHERE user_id = $1") -> String {
        """
            recipients:
              database: "\(address)"
              of_user: \(ofUser)
              audiences: {all: "SELECT id, token FROM devices WHERE id > $1 ORDER BY id LIMIT $2"}
              gone: DELETE FROM devices WHERE token = $1 AND registered_at <= $2
        """
    }

    private func curl(_ key: String, _ words: String...) async throws -> [String: Any] {
        let program = try ground.start(
            tool: ["curl", "-sS", "--noproxy", "*", "-H", "authorization: Bearer \(key)"] + words)
        let ended = await program.end()
        return try #require(ended.objects.first, "\(ended.output)\(ended.errors)")
    }

    private func post(_ key: String, _ url: String, _ body: String = "{}") async throws -> [String: Any] {
        try await curl(key, "-H", "content-type: application/json", "-d", body, url)
    }

    @Test func `check says whether the statements can be run, and runs none`() async throws {
        try ground.configure(recipients())
        let right = try await ground.pushserve("check")
        #expect(right.status == 0 && right.output.contains("ok       shop: recipients: "), "\(right.output)")
        for (statement, words) in [
            ("SELECT tokn FROM devices WHERE user_id = $1", "of_user: "),
            ("SELECT token FROM devices WHERE user_id = $1 AND id = $2", "requires 2"),
        ] {
            try ground.configure(recipients(statement))
            let wrong = try await ground.pushserve("check")
            #expect(wrong.status == 78 && wrong.output.contains(words), "\(wrong.output)")
            #expect(!wrong.output.contains(PostgresServer.password))
        }
        try ground.configure(recipients().replacing(address, with: "postgres://shop:secret@127.0.0.1:1/shop"))
        let down = try await ground.pushserve("check")
        #expect(down.status != 0 && down.output.contains("failed   shop: recipients: "), "\(down.output)")
        #expect(!down.output.contains("secret"))
        try ground.configure(recipients().replacing(address, with: "mysql://shop"))
        let other = try await ground.pushserve("check")
        #expect(other.status == 78 && other.errors.contains(#""database": "#), "\(other.errors)")
    }

    /// A mock, whose app the configuration has, and a key.
    private func withMock(_ more: String = "") async throws -> (MockServer, String) {
        var configuration = MockConfiguration()
        configuration.logCount = 2 * Self.count
        let mock = try await MockServer.start(configuration, credentials: .ofThisProcess)
        try ground.configure(for: mock, recipients().replacing(address, with: address + more))
        return (mock, try await ground.key("send,read,admin"))
    }

    /// Pauses or resumes the app, which a restart does not change.
    private func setPaused(_ key: String, _ url: String, _ word: String) async throws {
        let program = try ground.start(tool: [
            "curl", "-sS", "--fail", "--noproxy", "*", "-H", "authorization: Bearer \(key)", "-X", "POST",
            "\(url)/v1/apps/shop/\(word)",
        ])
        #expect(await program.end().status == 0)
    }

    /// The outcome of a push, as soon as it has one.
    private func outcome(_ key: String, _ url: String, _ id: String) async throws -> [String: Any] {
        while true {
            let push = try await curl(key, "\(url)/v1/notifications/\(id)")
            if let outcome = push["outcome"] as? [String: Any] { return outcome }
        }
    }

    @Test func `a user's device gets the push, and somebody else's device does not, also after a restart`()
        async throws
    {
        let (mock, key) = try await withMock()
        var (program, url) = try await ground.serve(seconds: 3600)
        let body = #"{"user":"7","payload":{"aps":{"alert":"Hello"}}}"#
        let sent = try await post(key, "\(url)/v1/notifications", body)
        let first = try #require((sent["items"] as? [[String: Any]])?.first?["id"] as? String, "\(sent)")
        #expect(try await outcome(key, url, first)["kind"] as? String == "accepted")
        try await setPaused(key, url, "pause")
        let later = try await post(
            key, "\(url)/v1/notifications", #"{"user":"8","payload":{"aps":{"alert":"For 8"}}}"#)
        let second = try #require((later["items"] as? [[String: Any]])?.first?["id"] as? String, "\(later)")
        program.signal(SIGKILL)
        _ = await program.end()
        try await run("UPDATE devices SET user_id = 9 WHERE user_id = 8")
        (program, url) = try await ground.serve(seconds: 3600)
        try await setPaused(key, url, "resume")
        let ended = try await outcome(key, url, second)
        #expect(ended["kind"] as? String == "not_sent" && ended["reason"] as? String == "reassigned", "\(ended)")
        #expect(mock.arrivals.count == 1)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        await mock.stop()
    }

    @Test func `a reload leaves no connection of the table that it replaces`() async throws {
        let name = "reloads-\(UUID().uuidString.prefix(8))"
        let (mock, key) = try await withMock("&application_name=\(name)")
        let (program, url) = try await ground.serve(seconds: 3600)
        let words = "The configuration was reloaded."
        for number in 1...6 {
            let body = #"{"user":"7","payload":{"aps":{"alert":"Hello"}}}"#
            let sent = try await post(key, "\(url)/v1/notifications", body)
            let id = try #require((sent["items"] as? [[String: Any]])?.first?["id"] as? String, "\(sent)")
            _ = try await outcome(key, url, id)
            program.signal(SIGHUP)
            while program.errors.text.components(separatedBy: words).count <= number {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        // A connection ends a moment after its table. Those that stay are two of requests and workers, and one of audiences.
        let count = PostgresText("SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'")
        var open = Int.max
        while open > 3 {
            open = try await team.run { (connection) throws(QueueError) in
                try connection.run(PostgresStatement(count, [])).first?.number(0) ?? 0
            }
        }
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        await mock.stop()
    }

    @Test func `each device of an audience gets the campaign once, through two kills`() async throws {
        let (mock, key) = try await withMock()
        var (program, url) = try await ground.serve(seconds: 3600)
        let made = try await post(
            key, "\(url)/v1/campaigns", #"{"name":"Sale","audience":"all","payload":{"aps":{"alert":"Hello"}}}"#)
        let path = "/v1/campaigns/\(try #require(made["id"] as? String, "\(made)"))"
        _ = try await post(key, "\(url)\(path)/start")
        for line in [2000, 9000] {
            while (try await curl(key, url + path)["next_line"] as? Int ?? 0) < line {}
            program.signal(SIGKILL)
            _ = await program.end()
            (program, url) = try await ground.serve(seconds: 3600)
        }
        while true {
            let now = try await curl(key, url + path)
            if now["state"] as? String == "finished" {
                let lines = try #require(now["lines"] as? [String: Int])
                #expect(lines["total"] == Self.count && lines["refused"] == 0, "\(lines)")
                break
            }
        }
        let tokens = mock.arrivals.map(\.request.path)
        #expect(Set(tokens).count == tokens.count, "no device got it twice")
        // What was being sent at a kill is unknown.
        #expect(tokens.count > Self.count - 2000)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        await mock.stop()
    }

    @Test func `each device of the users of a campaign gets it once, through a kill in the upload`() async throws {
        let (mock, key) = try await withMock()
        let users = Self.count / 2
        // Each user has two devices.
        try await run("UPDATE devices SET user_id = user_id - \(users) WHERE user_id > \(users)")
        var (program, url) = try await ground.serve(seconds: 3600)
        let made = try await post(
            key, "\(url)/v1/campaigns", #"{"name":"Sale","payload":{"aps":{"alert":"Hello"}}}"#)
        let path = "/v1/campaigns/\(try #require(made["id"] as? String, "\(made)"))"
        try ground.write((1...users).map { #"{"user":"\#($0)"}"# }.joined(separator: "\n"), to: "users.jsonl")
        let words = ["-H", "content-type: application/x-ndjson", "--data-binary", "@users.jsonl"]
        let upload = try ground.start(
            tool: ["curl", "-sS", "--noproxy", "*", "-H", "authorization: Bearer \(key)"] + words
                + ["\(url)\(path)/lines"])
        while (try await curl(key, url + path)["next_line"] as? Int ?? 0) < 1000 {}
        program.signal(SIGKILL)
        _ = await program.end()
        _ = await upload.end()
        // The first users have further devices when their lines come again.
        try await run(
            """
            INSERT INTO devices (user_id, token)
            SELECT n, lpad(to_hex(n + \(10 * Self.count)), 64, '0') FROM generate_series(1, 500) n
            """)
        (program, url) = try await ground.serve(seconds: 3600)
        var again: [String: Any]
        // A machine with much else to do may take longer than an answer may. What was accepted isn't accepted twice.
        repeat {
            again = try await curl(key, words[0], words[1], words[2], words[3], "\(url)\(path)/lines")
        } while again["code"] as? String == "too_slow"
        let results = try #require(again["upload"] as? [String: Any], "\(again)")
        #expect((results["accepted"] as? Int ?? 0) + (results["repeated"] as? Int ?? 0) == users, "\(results)")
        _ = try await post(key, "\(url)\(path)/start")
        while true {
            let now = try await curl(key, url + path)
            if now["state"] as? String == "finished" {
                let lines = try #require(now["lines"] as? [String: Int])
                #expect(lines["total"] == Self.count && lines["accepted"] == Self.count, "\(lines)")
                break
            }
        }
        let tokens = mock.arrivals.map(\.request.path)
        #expect(tokens.count == Self.count && Set(tokens).count == tokens.count, "no device got it twice")
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
        await mock.stop()
    }
}
