import TestSupport
import Testing

/// Faults that are ordered from a shell.
@Suite struct MockFaultTests {
    private static let refused =
        #"{"name":"refused","steps":[{"answer":{"status":400,"reason":"BadTopic"}}],"times":1}"#

    @Test func `a fault on the command line acts, and the line of the request names it`() async throws {
        let lines = try await RunningMock.with("--fault", Self.refused) { mock in
            let refused = try await mock.send("-m", "Hello", "--json")
            #expect(refused.json["reason"] == "BadTopic", "\(refused.output)\(refused.errors)")
            let next = try await mock.send("-m", "Hello")
            #expect(next.status == 0)
        }
        #expect(lines.first?["fault"] == 1)
        #expect(lines.first?["fault_name"] == "refused")
        #expect(lines.first?["answered"] == true)
        #expect(lines.last?["status"] == 200)
        #expect(lines.last?["fault"] == nil)
    }

    @Test func `faults of a file act in their order, on a client that we did not write too`() async throws {
        let workspace = try Workspace()
        let resetting = #"{"when":{"match":1},"steps":["judge",{"reset_stream":{"code":"INTERNAL_ERROR"}}]}"#
        try workspace.write("[\(Self.refused), \(resetting)]", to: "bad-day.json")
        let lines = try await RunningMock.with("--fault", "bad-day.json", in: workspace) { mock in
            for status in [400, 0, 200] {
                let answer = try await mock.curl()
                #expect(answer.status == status)
            }
        }
        #expect(lines.map { $0["fault"]?.integer } == [1, 2, nil])
        #expect(lines.count == 3 && lines[1]["answered"] == false)
    }

    @Test(arguments: [("nothing", Int32(0)), ("http/1.1", 69)])
    func `--no-alpn sends to a mock that agrees on nothing, and not to one of HTTP/1`(
        alpn: String, status: Int32
    ) async throws {
        let fault = #"{"at":"connection_accepted","steps":[{"tls":{"alpn":"\#(alpn)"}}]}"#
        let lines = try await RunningMock.with("--fault", fault) { mock in
            func send(_ flags: [String]) async throws -> Ended {
                try await mock.workspace.pushsend(
                    [
                        "send", RunningMock.token, "--endpoint", "localhost:\(mock.port)", "--cacert", "mock/ca.pem",
                        "--key", "mock/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12", "--topic",
                        RunningMock.topic, "-m", "Hello",
                    ] + flags)
            }
            let usual = try await send([])
            #expect(usual.status == 69, "\(usual.errors)")
            let without = try await send(["--no-alpn"])
            #expect(without.status == status, "\(without.errors)")
        }
        #expect(lines.map { $0["status"] } == (status == 0 ? [200] : []))
    }

    @Test(arguments: [
        ("nowhere.json", 66, "nowhere.json"), ("{", 65, "--fault: 1:"), ("[]x", 65, "--fault: 1:"),
        ("[]", 65, "There is no fault in it."), (#"{"steps":["explode"]}"#, 65, "--fault: 1:11: Unknown step"),
        (#"{"name":"x"}"#, 65, "\"steps\""),
        (#"[{"steps":["judge"],"wehn":{}}]"#, 65, "wehn"),
    ])
    func `what is no fault is refused before anything listens`(text: String, status: Int32, words: String) async throws
    {
        let ended = try await Workspace().pushsend("mock", "--port", "0", "--state", "mock", "--fault", text)
        #expect(ended.status == status)
        #expect(ended.errors.contains(words), "\(ended.errors)")
        #expect(ended.output == "")
    }

    @Test func `a file of faults can be YAML, and a mistake in it has its place`() async throws {
        let workspace = try Workspace()
        try workspace.write("- name: a\n  steps: [jugde]\n", to: "faults.yaml")
        let ended = try await workspace.pushsend("mock", "--port", "0", "--state", "mock", "--fault", "faults.yaml")
        #expect(ended.status == 65)
        #expect(
            ended.errors.contains("faults.yaml:2:11: Unknown step \"jugde\". Did you mean \"judge\"?"),
            "\(ended.errors)")
    }

    @Test func `a push that is longer than the limit of a request is not accepted`() async throws {
        let lines = try await RunningMock.with("--limit", "request-bytes=100") { mock in
            let ended = try await mock.workspace.pushsend(
                "send", RunningMock.token, "--endpoint", "localhost:\(mock.port)", "--cacert", "mock/ca.pem", "--key",
                "mock/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12", "--topic", RunningMock.topic, "-m",
                String(repeating: "a", count: 200))
            #expect(ended.status != 0, "\(ended.output)")
        }
        #expect(lines.allSatisfy { $0["status"] != 200 })
    }
}
