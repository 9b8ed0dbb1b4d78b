import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// `pushsend delivery` against the mock, which plays Apple's export, and against servers that misbehave.
@Suite(.takingTurns) struct DeliveryCommandTests {
    private static func delivery(_ mock: RunningMock, _ flags: String...) async throws -> Ended {
        try await mock.workspace.pushsend(
            ["delivery", "--mock", "--state", "mock", "--app", RunningMock.topic] + flags)
    }

    @Test func `the counts are those of the mock's log, on the day of the mock's clock`() async throws {
        try await RunningMock.with("--set", "future_tolerance=400000s") { mock in
            let note = JSON(parsing: try mock.workspace.read("mock/running.json"))
            let url = "http://127.0.0.1:\(try #require(note["consolePort"]?.integer))"
            let day = Date().addingTimeInterval(-3 * 86_400).formatted(.iso8601)
            try await mock.workspace.prepare(
                "curl -sS --fail -X PUT \(url)/v1/clock -H 'content-type: application/json' -d '{\"now\":\"\(day)\"}'")
            for number in 1...3 { #expect(try await mock.send("-m", "Hello \(number)").status == 0) }
            #expect(try await mock.send("--content-available").status == 0)
            #expect(try await mock.send("-m", "Other", "--topic", "com.example.other").status == 0)
            try await mock.workspace.prepare(
                "curl -sS --fail -X PUT \(url)/v1/clock -H 'content-type: application/json' -d '{\"now\":\"system\"}'")
            let ended = try await Self.delivery(mock, "--json")
            #expect(ended.status == 0, "\(ended.errors)")
            let rows = ended.json["rows"]?.elements ?? []
            #expect(rows.map { $0["push_type"]?.string } == ["alert", "background"], "\(ended.output)")
            #expect(rows.allSatisfy { $0["day"]?.string == String(day.prefix(10)) })
            #expect(rows.first?["counts"]?["delivered"]?.integer == 3)

            let table = try await Self.delivery(mock)
            #expect(table.output.contains("delivered") && table.output.contains("██"), "\(table.output)")
            let csv = try await Self.delivery(mock, "--csv")
            #expect(csv.output.contains("\(day.prefix(10)),alert,delivered,3\n"), "\(csv.output)")
        }
    }

    @Test func `broadcasts are counted for the app and for a channel, and withheld figures are no numbers`()
        async throws
    {
        try await RunningMock.with("--set", "future_tolerance=400000s") { mock in
            let note = JSON(parsing: try mock.workspace.read("mock/running.json"))
            let clock = "http://127.0.0.1:\(try #require(note["consolePort"]?.integer))/v1/clock"
            let day = Date().addingTimeInterval(-3 * 86_400).formatted(.iso8601)
            func setClock(_ time: String) async throws {
                try await mock.workspace.prepare(
                    "curl -sS --fail -X PUT \(clock) -H 'content-type: application/json' -d '{\"now\":\"\(time)\"}'")
            }
            try await setClock(day)
            let options = ["--mock", "--state", "mock", "--topic", RunningMock.topic, "--json"]
            var channels: [String] = []
            for count in [1, 2] {
                let made = try await mock.workspace.pushsend(["channel", "create"] + options)
                channels.append(try #require(made.json["channel"]?.string, "\(made.output) \(made.errors)"))
                for _ in 1...count {
                    let sent = try await mock.workspace.pushsend(
                        ["channel", "send", channels.last ?? "", "--template", "live-activity-update"] + options)
                    #expect(sent.status == 0, "\(sent.output) \(sent.errors)")
                }
            }
            try await setClock("system")
            for (flags, published) in [
                (["--broadcasts"], 3), (["--channel", channels[0]], 1), (["--channel", channels[1]], 2),
            ] {
                let ended = try await mock.workspace.pushsend(
                    ["delivery", "--mock", "--state", "mock", "--app", RunningMock.topic, "--json"] + flags)
                let rows = ended.json["rows"]?.elements ?? []
                #expect(rows.count == 1 && rows[0]["push_type"] == nil, "\(ended.output) \(ended.errors)")
                #expect(rows.first?["counts"]?["published"]?.integer == published, "\(flags): \(ended.output)")
                #expect(rows.first?["counts"]?.keys == ["published"], "\(ended.output)")
            }
            let table = try await Self.delivery(mock, "--broadcasts")
            let head = try #require(table.output.split(separator: "\n").first)
            #expect(head.hasPrefix("day ") && head.contains("published") && !head.contains("type"), "\(table.output)")
        }
    }

    @Test func `on a terminal, it tells that Apple is making the export`() async throws {
        try await RunningMock.with("--set", "export_time=600s") { mock in
            let ended = try await mock.workspace.terminal(
                ["delivery", "--mock", "--state", "mock", "--app", RunningMock.topic, "--wait", "4s"], [])
            #expect(ended.output.contains("Apple is making the export, for "), "\(ended.output)")
            #expect(ended.output.contains("Within a day, the same request gets the same export."), "\(ended.output)")
        }
    }

    @Test(arguments: [
        ("export_status=FAILED", Int32(75), "couldn't make the export"),
        ("export_status=EXPIRED", 75, "has expired"), ("export_time=600s", 75, "still making the export"),
    ])
    func `an export that does not become ready says why`(setting: String, status: Int32, words: String) async throws {
        try await RunningMock.with("--set", setting) { mock in
            let ended = try await Self.delivery(mock, "--wait", "1ms")
            #expect(ended.status == status && ended.errors.contains(words), "\(ended.errors)")
        }
    }

    @Test(arguments: [
        (#"{"rules": [{"from": 1, "do": [["answer", 401, ""]]}]}"#, Int32(77), "refused the token"),
        (#"{"rules": [{"from": 1, "do": [["answer", 400, ""]]}]}"#, 64, "refused the request"),
        (#"{"rules": [{"from": 1, "do": [["answer", 500, ""]]}]}"#, 69, "answered 500"),
        (#"{"rules": [{"from": 1, "do": [["answer", 429, ""]]}]}"#, 69, "fewer requests"),
        (#"{"rules": [{"from": 1, "do": [["answer", 200, "[]"]]}]}"#, 75, "no statusUrl"),
        (
            #"{"rules": [{"from": 1, "do": [["answer", 200, "{\"statusUrl\":\"https://example.com/x\"}"]]}]}"#, 75,
            "must not get the token"
        ),
        (
            #"{"rules": [{"from": 1, "do": [["answer", 200, "{\"statusUrl\":\"http://127.0.0.1/x\"}"]]}]}"#, 75,
            "isn't one of HTTPS"
        ),
        (#"{"rules": [{"from": 1, "do": [["answer", 200, "<html>Sign in</html>"]]}]}"#, 75, "no statusUrl"),
        (#"{"rules": [{"from": 1, "do": [["fill", 200, 8388609]]}]}"#, 75, "larger than 8 MiB"),
        (#"{"rules": [{"from": 1, "do": [["lie", 200, "{}"]]}]}"#, 69, "broke off its answer"),
        (#"{"rules": [{"from": 1, "do": [["go_away", 0, 0, ""], ["close"]]}]}"#, 69, "ended the connection"),
        (#"{"rules": [{"from": 1, "do": [["abort"]]}]}"#, 69, "127.0.0.1"),
        (#"{"rules": [{"from": 1, "do": [["reset", 2]]}]}"#, 69, "127.0.0.1"),
    ])
    func `an answer that is not Apple's gets a sentence, and the token stays secret`(
        plan: String, status: Int32, words: String
    ) async throws {
        _ = try await OutsideServer.with(plan) { server in
            let workspace = try Workspace()
            try workspace.write(server.credentials.authority, to: "ca.pem")
            try workspace.write("s3cr3t-export-token\n", to: "export.token")
            let ended = try await workspace.pushsend(
                "delivery", "--app", RunningMock.topic, "--team-id", Workspace.teamID, "--token-file", "export.token",
                "--endpoint", "127.0.0.1:\(server.environment.port)", "--cacert", "ca.pem")
            #expect(ended.status == status && ended.errors.contains(words), "\(ended.status): \(ended.errors)")
            #expect(!(ended.output + ended.errors).contains("s3cr3t"))
        }
    }

    @Test(arguments: [301, 302, 307, 308])
    func `a redirect isn't followed, neither with an export token nor with a provider token`(status: Int) async throws {
        let other = try await OutsideServer.with("{}") { other in
            let plan = """
                {"rules": [{"from": 1, "do": [["redirect", \(status), "https://127.0.0.1:\(other.environment.port)/"]]}]}
                """
            _ = try await OutsideServer.with(plan) { server in
                let workspace = try Workspace()
                let key = try await workspace.makeKey()
                // Both servers would be trusted.
                try workspace.write(server.credentials.authority + other.credentials.authority, to: "ca.pem")
                try workspace.write("s3cr3t-export-token\r\n", to: "export.token")
                let target = ["--endpoint", "127.0.0.1:\(server.environment.port)", "--cacert", "ca.pem"]
                let delivery = try await workspace.pushsend(
                    [
                        "delivery", "--app", RunningMock.topic, "--team-id", Workspace.teamID, "--token-file",
                        "export.token",
                    ] + target)
                #expect(delivery.status == 69 && delivery.errors.contains("answered \(status)"), "\(delivery.errors)")
                let verify = try await workspace.pushsend(
                    ["verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic] + target)
                #expect(verify.status == 75 && verify.errors.contains("got \(status)"), "\(verify.errors)")
            }
        }
        #expect(other.connectionCount == 0 && other.requests.isEmpty)
    }

    @Test func `Ctrl-C ends it while Apple makes the export, and nothing but the counts goes to standard output`()
        async throws
    {
        try await RunningMock.with("--set", "export_time=600s") { mock in
            let script = """
                trap : INT; "$0" delivery --mock --state mock --app "$1" --json > counts.json; echo "ended $?"
                """
            let ended = try await mock.workspace.terminal(
                command: ["sh", "-c", script, BuiltProgram.pushsend.path(), RunningMock.topic],
                [("Apple is making the export, for ", "\u{3}")])
            #expect(ended.output.contains("ended 130"), "\(ended.output)")
            #expect(try mock.workspace.read("counts.json").isEmpty)
        }
    }

    @Test func `wrong use is refused with a sentence`() async throws {
        let workspace = try Workspace()
        try workspace.write("two words\n", to: "bad.token")
        try workspace.write("\r\n", to: "blank.token")
        let all = ["--app", "com.example.app", "--team-id", Workspace.teamID]
        for (flags, status, words) in [
            (["--team-id", Workspace.teamID], Int32(64), "--app"), (["--app", "a.b"], 64, "--team-id"),
            (all, 64, "--token-file"), (all + ["--token", "x"], 64, "on the command line"),
            (all + ["--days", "31"], 64, "2 to 30"), (all + ["--days", "0"], 64, "2 to 30"),
            (all + ["--days", "400"], 64, "2 to 30"), (all + ["--token-file", "blank.token"], 65, "one word"),
            (all + ["--channel", "no channel"], 64, "isn't base64"),
            (all + ["--channel", ""], 64, "is empty"),
            (["--app", "a b", "--team-id", Workspace.teamID], 64, "isn't allowed in a bundle id"),
            (["--app", "a.b.push-type.liveactivity", "--team-id", Workspace.teamID], 64, "Use \"a.b\""),
            (all + ["--json", "--csv"], 64, "can't be combined"),
            (all + ["--token-file", "none"], 66, "doesn't exist"),
            (all + ["--token-file", "bad.token"], 65, "one word"),
            (all + ["--cacert", "none.pem"], 66, "none.pem"), (all + ["--state", "mock"], 64, "needs --mock"),
        ] {
            let ended = try await workspace.pushsend(["delivery"] + flags)
            #expect(ended.status == status && ended.errors.contains(words), "\(flags): \(ended.errors)")
        }
        for (name, value, status, word) in [
            ("PUSHSEND_EXPORT_TOKEN", "two words", Int32(65), "PUSHSEND_EXPORT_TOKEN"),
            ("PUSHSEND_CACERT", "none.pem", 66, "none.pem"),
        ] {
            let ended = try await workspace.pushsend(["delivery"] + all, environment: [name: value])
            #expect(ended.status == status && ended.errors.contains(word), "\(ended.errors)")
        }
    }
}
