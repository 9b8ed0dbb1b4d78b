import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// `pushsend verify` against mocks with changed facts, and against servers that misbehave.
@Suite(.takingTurns) struct VerifyCommandTests {
    /// What `--json` printed: the ids of the facts by result, and the settings.
    private struct Found {
        let status: Int32
        let json: JSON
        let errors: String

        init(_ ended: Ended) { (status, json, errors) = (ended.status, ended.json, ended.errors) }

        func facts(_ result: String) -> Set<String> {
            let facts = (json["facts"]?.elements ?? []).filter { $0["result"]?.string == result }
            return Set(facts.compactMap { $0["fact"]?.string })
        }
    }

    private static func verify(_ mock: RunningMock, _ flags: String...) async throws -> Found {
        Found(
            try await mock.workspace.pushsend(
                ["verify", "--mock", "--state", "mock", "--topic", RunningMock.topic, "--pause", "1ms", "--json"]
                    + flags))
    }

    @Test func `a mock as it is agrees in everything, and no request reaches a device`() async throws {
        let requests = try await RunningMock.with("--unknown-tokens", "reject") { mock in
            let found = try await Self.verify(mock)
            #expect(found.status == 0, "\(found.json)")
            #expect(found.facts("differs").isEmpty)
            #expect(found.facts("agrees").isSuperset(of: ["path", "topic-form", "payload-size", "issue-time-not-old"]))
            #expect(found.facts("not asked").contains("team-of-the-connection"))
            #expect(found.json["settings"]?.keys.isEmpty == true)
        }
        #expect(requests.count <= 80 && requests.allSatisfy { $0["status"]?.integer != 200 }, "\(requests)")
        #expect(Set(requests.compactMap { $0["connection"]?.integer }).count <= 4)
        let bad = requests.compactMap { $0["reason"]?.string }.filter { $0.hasSuffix("ProviderToken") }
        #expect(bad.sorted() == ["ExpiredProviderToken", "InvalidProviderToken", "MissingProviderToken"])
    }

    @Test(arguments: [
        ("past_expiration_reason=BadExpirationDate", "expiration-not-past"),
        ("not_json_reason=PayloadEmpty", "payload-JSON"),
        ("accepts_upper_case_apns_id=false", "setting-accepts-upper-case-apns-id"),
        ("urgent_background_reason=null", "priority-of-background"),
        ("topic_against_push_type_reason=BadTopic", "topic-of-the-push-type"),
        (#"answers={"topic-form":"InvalidProviderToken"}"#, "topic-form"),
        (#"answers={"collapse-id-length":null}"#, "collapse-id-length"),
        (#"answers={"device-token-form":"MissingDeviceToken"}"#, "device-token-form"),
    ])
    func `a changed fact is found and nothing else, and a mock that loads it judges the same`(
        setting: String, fact: String
    ) async throws {
        try await RunningMock.with("--unknown-tokens", "reject", "--set", setting) { mock in
            let found = try await Self.verify(mock, "--save", "facts.json")
            #expect(found.status == 1 && found.facts("differs") == [fact], "\(found.json)")
            let text = try mock.workspace.read("facts.json")
            let ids = try ["key_id", "team_id"].map { try #require(mock.ready[$0]?.string) }
            for secret in [RunningMock.topic, "766572696679", "bearer", "localhost"] + ids {
                #expect(!text.contains(secret), "\(secret)")
            }

            try await mock.workspace.prepare("cp facts.json mock/facts.json")
            try await RunningMock.with("--unknown-tokens", "reject", "--facts", mock.workspace.path("facts.json")) {
                other in
                let again = try await Self.verify(other)
                #expect(again.facts("differs") == [fact] && again.json["settings"] == found.json["settings"])
            }
        }
    }

    @Test func `each of many changed facts is found and nothing else`() async throws {
        let answers = """
            {"method":"BadPath","path":"BadTopic","repeated-headers":"BadPath","apns-id":null,"topic-present":"BadTopic",\
            "push-type-known":null,"priority-known":null,"expiration-form":"BadTopic","payload-present":null,"payload-size":null,\
            "device-token-present":"BadPath","provider-token-present":"InvalidProviderToken",\
            "issue-time-not-old":"InvalidProviderToken","provider-token-form":"ExpiredProviderToken"}
            """
        try await RunningMock.with("--unknown-tokens", "reject", "--set", "answers=\(answers)") { mock in
            let found = try await Self.verify(mock)
            #expect(found.facts("differs") == JSON(parsing: answers).keys, "\(found.json)")
            #expect(found.json["settings"]?["answers"] == JSON(parsing: answers))
        }
    }

    @Test func `a topic that is none is refused before the first request, and facts that were not asked say why`()
        async throws
    {
        let requests = try await RunningMock.with("--unknown-tokens", "reject") { mock in
            let base = ["verify", "--mock", "--state", "mock", "--pause", "1ms"]
            for topic in ["not a topic", "", "com.example.app.voip"] {
                let ended = try await mock.workspace.pushsend(base + ["--topic", topic])
                #expect(ended.status == 64 && ended.errors.contains("--topic"), "\(topic): \(ended.errors)")
            }
            #expect(
                try await Self.verify(mock).json["facts"]?.elements.allSatisfy { fact in
                    fact["result"]?.string != "not asked" || fact["note"]?.string?.isEmpty == false
                } == true)
            let text = try await mock.workspace.pushsend(base + ["--topic", RunningMock.topic]).output
            #expect(text.contains("\nNot asked: ") && text.contains("two wrong provider tokens at most"), "\(text)")
        }
        #expect(requests.count < 60, "Only the last two asked something.")
    }

    @Test func `a mock that accepts every device token differs in that`() async throws {
        try await RunningMock.with { mock in
            let found = try await Self.verify(mock)
            #expect(found.facts("differs") == ["device-token-known"], "\(found.json)")
            #expect(found.json["settings"]?["unknown_tokens"]?.string == "accept")
        }
    }

    @Test func `with --device, the requests go to that phone as background pushes`() async throws {
        let requests = try await RunningMock.with("--unknown-tokens", "reject", "--register", RunningMock.token) {
            mock in
            let found = try await Self.verify(mock, "--device", RunningMock.token)
            #expect(found.status == 0 && found.facts("differs").isEmpty, "\(found.json)")
        }
        let accepted = requests.filter { $0["status"]?.integer == 200 }
        #expect(!accepted.isEmpty && accepted.allSatisfy { $0["priority"]?.string != "10" })
    }

    @Test func `a nickname is that of the profile that is chosen`() async throws {
        try await RunningMock.with("--unknown-tokens", "reject", "--register", RunningMock.token) { mock in
            for (name, token) in [("coffee", String(repeating: "0c", count: 32)), ("tea", RunningMock.token)] {
                let added = try await mock.workspace.pushsend(
                    "profile", "add", name, "--topic", RunningMock.topic, "--device", "phone=\(token)")
                #expect(added.status == 0, "\(added.errors)")
            }
            let found = try await Self.verify(mock, "--profile", "tea", "--device", "phone")
            #expect(found.status == 0 && found.facts("differs").isEmpty, "\(found.json) \(found.errors)")
        }
    }

    @Test func `a 429 ends the run at once`() async throws {
        let fault = #"{"when":{"request":3},"steps":[{"answer":{"status":429,"reason":"TooManyRequests"}}]}"#
        let requests = try await RunningMock.with("--unknown-tokens", "reject", "--fault", fault) { mock in
            let found = try await Self.verify(mock)
            #expect(found.status == 75 && found.errors.contains("429 TooManyRequests"), "\(found.errors)")
            #expect(found.facts("agrees").count <= 2)
        }
        #expect(requests.count == 3)
    }

    @Test func `refused credentials end the run after one request`() async throws {
        let requests = try await RunningMock.with { mock in
            let key = try await mock.workspace.makeKey()
            let ended = try await mock.workspace.pushsend(
                "verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic, "--pause", "1ms",
                "--endpoint", "localhost:\(mock.port)", "--cacert", "mock/ca.pem")
            #expect(ended.status == 77 && ended.errors.contains("403 InvalidProviderToken"), "\(ended.errors)")
        }
        #expect(requests.count == 1)
    }

    @Test(arguments: [
        #"{"rules": [{"from": 2, "do": [["reset", 2]]}]}"#,
        #"{"rules": [{"from": 2, "do": [["abort"]]}]}"#,
        #"{"rules": [{"from": 2, "do": [["go_away", "this", 0, "{\"reason\":\"InvalidProviderToken\"}"], ["close"]]}]}"#,
        #"{"rules": [{"from": 1, "do": [["drip", 400, "{\"reason\":\"BadDeviceToken\"}"]]}]}"#,
        #"{"rules": [{"from": 2, "do": [["lie", 400, "{\"reason\":\"BadDeviceToken\"}"]]}]}"#,
        #"{"rules": [{"connection": 1, "from": 2, "do": [["hold"]]}]}"#,
    ])
    func `a server that resets, aborts, hangs, lies about lengths or ends the connection gets a result, not a crash`(
        plan: String
    ) async throws {
        let log = try await OutsideServer.with(plan) { server in
            let workspace = try Workspace()
            let key = try await workspace.makeKey()
            try workspace.write(server.credentials.authority, to: "ca.pem")
            let ended = try await workspace.pushsend(
                "verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic, "--pause", "1ms",
                "--endpoint", "127.0.0.1:\(server.environment.port)", "--cacert", "ca.pem")
            #expect([1, 75, 77].contains(ended.status), "\(ended.status): \(ended.output) \(ended.errors)")
        }
        #expect(log.requests.count <= 80 && log.connectionCount <= 4 && log.violations.isEmpty)
        // An answer with a wrong length ends its own stream only.
        #expect(!plan.contains("lie") || log.requests.count > 20, "\(log.requests.count)")
    }

    /// The mock plays Apple's hosts behind its proxy, so this is the path that a user's run takes.
    @Test func `Apple is not asked again with a key within 20 minutes, and the sandbox is asked by default`()
        async throws
    {
        let workspace = try Workspace()
        let verify = """
            "$P" verify --key "$APNS_KEY_FILE" --key-id "$APNS_KEY_ID" --team-id "$APNS_TEAM_ID" --topic "$APNS_TOPIC" \
            --cacert "$APNS_CA" --pause 200ms
            """
        let note = "\"$XDG_STATE_HOME/pushsend/verified-$APNS_KEY_ID\""
        let script = """
            P='\(BuiltProgram.pushsend.path())'
            \(verify) --save facts.json > first.txt; echo "first $?"
            \(verify) --force --save facts.json; echo "second $?"
            at=$(cat \(note)); printf %s $((at - 1300)) > \(note)
            \(verify) --force --save facts.json > third.txt; echo "third $?"
            curl -sS "$MOCK_URL/v1/pushes?limit=1000" > pushes.json
            """
        let ended = try await workspace.run(
            [
                BuiltProgram.pushsend.path(), "mock", "exec", "--https-proxy", "--unknown-tokens", "reject", "--", "sh",
                "-c",
                script,
            ])
        #expect(ended.outputLines == ["first 0", "second 75", "third 0"], "\(ended.output) \(ended.errors)")
        #expect(ended.errors.contains("Apple wants no new one within 20 minutes. Run it again in "), "\(ended.errors)")
        let facts = JSON(parsing: try workspace.read("facts.json"))
        #expect(facts["server"]?.string == "api.sandbox.push.apple.com")
        let pushes = JSON(parsing: try workspace.read("pushes.json"))["items"]?.elements ?? []
        let asked = facts["facts"]?.elements.count { $0["sent"] != nil && $0["result"]?.string != "not asked" } ?? 0
        #expect(pushes.count == 2 * asked, "The second run sent nothing: \(pushes.count), \(asked)")
        #expect(pushes.allSatisfy { $0["environment"]?.string == "sandbox" })
    }

    @Test func `of runs with a key that begin at the same time, one asks`() async throws {
        let workspace = try Workspace()
        let script = """
            for run in 1 2 3 4; do
              ("$P" verify --key "$APNS_KEY_FILE" --key-id "$APNS_KEY_ID" --team-id "$APNS_TEAM_ID" --topic "$APNS_TOPIC" \
                --cacert "$APNS_CA" --pause 200ms --json > run.$run 2> errors.$run; echo "$?") &
            done
            wait
            curl -sS "$MOCK_URL/v1/pushes?limit=1000" > pushes.json
            """
        let ended = try await workspace.run([
            "P=\(BuiltProgram.pushsend.path())", BuiltProgram.pushsend.path(), "mock", "exec", "--https-proxy",
            "--unknown-tokens", "reject", "--", "sh", "-c", script,
        ])
        #expect(ended.outputLines.sorted() == ["0", "75", "75", "75"], "\(ended.output) \(ended.errors)")
        let asked = try (1...4).map { JSON(parsing: try workspace.read("run.\($0)"))["facts"]?.elements ?? [] }.joined()
            .count { $0["sent"] != nil && $0["answered"] != nil }
        let pushes = JSON(parsing: try workspace.read("pushes.json"))["items"]?.elements ?? []
        #expect(pushes.count == asked && (20...80).contains(asked), "\(pushes.count), \(asked)")
        let refused = try (1...4).map { try workspace.read("errors.\($0)") }
            .count { $0.contains("isn't done") || $0.contains("within 20 minutes") }
        #expect(refused == 3)
    }

    @Test func `without a note of when it ran, it asks nothing`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        // A folder can't be written as a file, not even by root.
        try await workspace.prepare("mkdir -p state/pushsend/verified-\(Workspace.keyID)")
        for state in ["/dev/null", workspace.path("state")] {
            let ended = try await workspace.pushsend(
                "verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic, "--proxy",
                "http://127.0.0.1:1", environment: ["XDG_STATE_HOME": state])
            #expect(ended.status == 73, "\(state): \(ended.status) \(ended.errors)")
        }
    }

    @Test func `a run that reaches nothing can be repeated at once`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        for _ in 1...2 {
            let ended = try await workspace.pushsend(
                "verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic, "--proxy",
                "http://127.0.0.1:1")
            #expect(ended.status == 69, "\(ended.errors)")
        }
    }

    @Test func `a mock with the facts of a server that accepts everything accepts what it did`() async throws {
        let workspace = try Workspace()
        _ = try await OutsideServer.with("{}") { server in
            let key = try await workspace.makeKey()
            try workspace.write(server.credentials.authority, to: "ca.pem")
            let ended = try await workspace.pushsend(
                "verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic, "--pause", "1ms",
                "--endpoint", "127.0.0.1:\(server.environment.port)", "--cacert", "ca.pem", "--save", "facts.json",
                "--json")
            let found = Found(ended)
            #expect(
                found.status == 1 && found.facts("differs").isSuperset(of: ["path", "payload-size"]), "\(found.json)")
        }
        try await RunningMock.with("--facts", workspace.path("facts.json")) { mock in
            let again = try await Self.verify(mock)
            let first = Found(Ended(status: 1, output: try workspace.read("facts.json")))
            #expect(again.facts("differs") == first.facts("differs"), "\(again.json)")
        }
    }

    @Test(arguments: [
        ("InvalidProviderToken", Int32(75), 2), ("TooManyProviderTokenUpdates", 75, 2), ("BadCertificate", 75, 2),
        // The other connections are opened.
        ("Shutdown", 1, 12), ("IdleTimeout", 1, 12),
    ])
    func `a GOAWAY that speaks of the credentials ends the run, and another one its connection`(
        reason: String, status: Int32, requests: Int
    ) async throws {
        let plan = #"""
            {"rules": [{"connection": 1, "from": 2, "do": [["go_away", "this", 0, "{\"reason\":\"\#(reason)\"}"], ["close"]]}]}
            """#
        let log = try await OutsideServer.with(plan) { server in
            let workspace = try Workspace()
            let key = try await workspace.makeKey()
            try workspace.write(server.credentials.authority, to: "ca.pem")
            let ended = try await workspace.pushsend(
                "verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic, "--pause", "1ms",
                "--endpoint", "127.0.0.1:\(server.environment.port)", "--cacert", "ca.pem")
            #expect(ended.status == status, "\(ended.output) \(ended.errors)")
            #expect(ended.errors.contains("ended the connection") == (status == 75), "\(ended.errors)")
        }
        #expect(log.requests.count == requests, "\(log.requests.count)")
        #expect(log.connectionCount == (status == 75 ? 1 : 4))
    }

    @Test func `production is asked only after a yes`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.terminal(
            [
                "verify", "--key", key, "--team-id", Workspace.teamID, "--topic", RunningMock.topic, "-e", "production",
                "--proxy", "http://127.0.0.1:1",
            ], [("Go on? (yes/no): ", "no\n")])
        #expect(ended.output.contains("Apple's production servers") && ended.output.contains("Nothing was sent."))
        #expect(!ended.output.contains("127.0.0.1"), "\(ended.output)")
    }

    @Test func `wrong use is refused with a sentence`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let credentials = ["--key", key, "--team-id", Workspace.teamID]
        for (flags, status, words) in [
            (credentials, Int32(64), "--topic"),
            (credentials + ["--topic", "com.example.app.voip"], 64, "without a suffix"),
            (credentials + ["--topic", "com.example.app", "--pause", "1ms"], 64, "200ms"),
            (credentials + ["--topic", "com.example.app", "-e", "production"], 64, "--yes"),
            // A name of Apple's counts, however it is written.
            (credentials + ["--topic", "com.example.app", "--endpoint", "API.push.apple.com.:443"], 64, "--yes"),
            (credentials + ["--topic", "com.example.app", "--endpoint", "api.push.apple.com:2197"], 64, "--yes"),
            (
                credentials + [
                    "--topic", "com.example.app", "--endpoint", "api.sandbox.push.apple.com:443", "--pause", "1ms",
                ],
                64, "200ms"
            ),
            (credentials + ["--topic", "com.example.app", "--force"], 64, "--save"),
        ] {
            let ended = try await workspace.pushsend(["verify"] + flags)
            #expect(ended.status == status && ended.errors.contains(words), "\(flags): \(ended.errors)")
        }
        try workspace.write("{}", to: "facts.json")
        let mock = try await workspace.pushsend("mock", "--facts", "facts.json", "--port", "0", "--state", "mock")
        #expect(mock.status == 65 && mock.errors.contains("pushsend verify --save"), "\(mock.errors)")
    }
}
