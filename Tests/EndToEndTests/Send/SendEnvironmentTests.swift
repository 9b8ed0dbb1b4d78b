import TestSupport
import Testing

@Suite(.takingTurns) struct SendEnvironmentTests {
    @Test func `everything that is always the same can come from the environment`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey(named: "renamed.p8")
        try await RunningMock.with(
            "--trust-key", key, "--key-id", Workspace.keyID, "--team-id", Workspace.teamID, in: workspace
        ) { mock in
            let environment = [
                "PUSHSEND_KEY": workspace.path(key), "PUSHSEND_KEY_ID": Workspace.keyID,
                "PUSHSEND_TEAM_ID": Workspace.teamID, "PUSHSEND_TOPIC": "com.example.fromenvironment",
                "PUSHSEND_ENDPOINT": "localhost:\(mock.port)", "PUSHSEND_CACERT": mock.caFile,
            ]
            let ended = try await workspace.pushsend(
                "send", RunningMock.token, "-m", "Hello", environment: environment)
            #expect(ended.status == 0)
            #expect(try await mock.request(1)["topic"] == "com.example.fromenvironment")

            let flag = try await workspace.pushsend(
                "send", RunningMock.token, "-m", "Hello", "--topic", "com.example.flag", environment: environment)
            #expect(flag.status == 0)
            #expect(try await mock.request(2)["topic"] == "com.example.flag")
        }
    }

    @Test func `PUSHSEND_STATE says where the mock is`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.workspace.pushsend(
                "send", RunningMock.token, "--mock", "--topic", "com.example.app", "-m", "Hello",
                environment: ["PUSHSEND_STATE": mock.workspace.path("mock")])
            #expect(ended.status == 0)
        }
    }

    @Test(arguments: [
        ("pass.com.example.card", "api.push.apple.com:443"), ("order.com.example.shop", "api.push.apple.com:443"),
        ("web.com.example", "api.push.apple.com:443"), ("com.example.app", "api.sandbox.push.apple.com:443"),
    ])
    func `a topic that is no app goes to production, which is said`(topic: String, endpoint: String) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let send = [
            "send", RunningMock.token, "--key", key, "--team-id", Workspace.teamID, "--topic", topic, "--template",
            topic.hasPrefix("web.") ? "safari" : "wallet", "--dry-run", "--json",
        ]
        let ended = try await workspace.pushsend(send)
        #expect(ended.json["endpoint"]?.string == endpoint, "\(ended.errors)")
        #expect(
            ended.errors.contains(endpoint.contains("sandbox") ? "Sending to the sandbox" : "Sending to production"))
        let chosen = try await workspace.pushsend(send + ["-e", "sandbox"])
        #expect(chosen.json["endpoint"]?.string == "api.sandbox.push.apple.com:443")
    }

    @Test func `an empty background push to a pass is not refused, a text gets a hint`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let send = [
            "send", RunningMock.token, "--key", key, "--team-id", Workspace.teamID, "--topic", "pass.com.example.card",
            "--dry-run",
        ]
        let empty = try await workspace.pushsend(send + ["--payload", "{}", "--push-type", "background"])
        #expect(empty.status == 0, "\(empty.errors)")
        let text = try await workspace.pushsend(send + ["-m", "Hello"])
        #expect(text.status == 0)
        #expect(text.errors.contains("[wallet-payload]"), "\(text.errors)")
    }

    @Test(arguments: [
        ("sandbox", "api.sandbox.push.apple.com:443"), ("production", "api.push.apple.com:443"),
        ("development", "api.sandbox.push.apple.com:443"), ("prod", "api.push.apple.com:443"),
    ])
    func `the environment can be named in the environment, and in the words that people use`(
        word: String, endpoint: String
    ) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let flags = ["--key", key, "--team-id", Workspace.teamID, "--topic", "com.example.app", "-m", "x"]
        let send = ["send", RunningMock.token] + flags + ["--dry-run", "--json"]
        let variable = try await workspace.pushsend(send, environment: ["PUSHSEND_ENVIRONMENT": word])
        #expect(variable.json["endpoint"]?.string == endpoint)
        let flag = try await workspace.pushsend(send + ["-e", word], environment: ["PUSHSEND_ENVIRONMENT": "sandbox"])
        #expect(flag.json["endpoint"]?.string == endpoint)
    }

    @Test func `a variable that makes no sense is named`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let flags = ["--key", key, "--team-id", Workspace.teamID, "--topic", "com.example.app", "-m", "x"]
        let send = ["send", RunningMock.token] + flags
        let environment = try await workspace.pushsend(send, environment: ["PUSHSEND_ENVIRONMENT": "moon"])
        expectRefusal(environment, 64, "PUSHSEND_ENVIRONMENT", "moon", "sandbox or production")
        let endpoint = try await workspace.pushsend(send, environment: ["PUSHSEND_ENDPOINT": "a:b"])
        expectRefusal(endpoint, 64, "PUSHSEND_ENDPOINT", "a:b", "HOST:PORT")
    }
}
