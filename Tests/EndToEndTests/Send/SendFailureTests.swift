import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct SendFailureTests {
    @Test(arguments: ["swallow", "hang-up"])
    func `what was written and not answered is unknown, exit code 76`(manner: String) async throws {
        let workspace = try Workspace()
        try await PythonServer.with(manner, in: workspace) { server in
            let command = Self.send(to: server.port)
            var ended = try await workspace.pushsend(command + ["--timeout", "2s"])
            // A busy machine may need that time for the connection alone.
            for timeout in ["10s", "60s"] where ended.status == 69 && server.requestCount == 0 {
                ended = try await workspace.pushsend(command + ["--timeout", timeout])
            }
            #expect(ended.status == 76)
            #expect(ended.output.hasPrefix("unknown  "))
            #expect(ended.errors.hasPrefix("It may or may not have been accepted: "))
            #expect(ended.errorLines.count == 1)
        }
    }

    @Test(arguments: ["refuse", "go-away"])
    func `what the server says it did not process was not sent, exit code 75`(manner: String) async throws {
        let workspace = try Workspace()
        try await PythonServer.with(manner, in: workspace) { server in
            expectNotSent(try await workspace.pushsend(Self.send(to: server.port)), 75)
        }
    }

    @Test func `an id that the server does not send is left out`() async throws {
        let workspace = try Workspace()
        try await PythonServer.with("bare", in: workspace) { server in
            let text = try await workspace.pushsend(Self.send(to: server.port))
            #expect(text.output.hasPrefix("accepted  ("), "\(text.output)")
            let json = try await workspace.pushsend(Self.send(to: server.port) + ["--json"])
            #expect(json.json["outcome"] == "accepted")
            #expect(json.json["apns_id"] == nil)
        }
    }

    @Test func `a server without ALPN is taken with --no-alpn only`() async throws {
        let workspace = try Workspace()
        try await PythonServer.with("no-alpn", in: workspace) { server in
            let refused = try await workspace.pushsend(Self.send(to: server.port))
            #expect(refused.status == 69)
            #expect(refused.errors.contains("doesn't speak HTTP/2"))
            #expect(refused.errors.contains("--no-alpn"))
            let taken = try await workspace.pushsend(Self.send(to: server.port) + ["--no-alpn"])
            #expect(taken.status == 0, "\(taken.errors)")
        }
    }

    @Test(arguments: [
        ["-e", "production"], ["--endpoint", "api.push.apple.com:443"],
        ["--endpoint", "API.sandbox.push.apple.com:2197"],
    ])
    func `--no-alpn is not for Apple's hosts`(target: [String]) async throws {
        let key = ["--key", "AuthKey_ABC123DEFG.p8", "--team-id", Workspace.teamID]
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { _ in
            try await workspace.prepare("cp mock/AuthKey_MOCKKEY123.p8 AuthKey_ABC123DEFG.p8")
        }
        let ended = try await workspace.pushsend(
            ["send", RunningMock.token, "--topic", "com.example.app", "-m", "Hello", "--no-alpn"] + key + target)
        #expect(ended.status == 64)
        #expect(ended.errors.contains("test server"))
    }

    @Test func `an answer that is not APNs's is shown, without what would steer the terminal`() async throws {
        let workspace = try Workspace()
        try await PythonServer.with("garbage", in: workspace) { server in
            let ended = try await workspace.pushsend(Self.send(to: server.port))
            #expect(ended.status == 1)
            #expect(ended.output.hasPrefix("rejected  500"))
            // What else would steer the terminal is U+FFFD; line breaks are spaces.
            #expect(ended.errors.contains("The answer was: <html> \u{FFFD}[31mdown for maintenance</html>"))
        }
    }

    @Test func `Ctrl-C after the request was written says that it may have been taken`() async throws {
        let workspace = try Workspace()
        try await PythonServer.with("swallow", in: workspace) { server in
            // Longer than the program may run: only Ctrl-C ends it in time.
            let program = try workspace.startPushsend(Self.send(to: server.port) + ["--timeout", "1h"])
            try await server.request()
            program.interrupt()
            let ended = await program.end()
            #expect(!ended.wasTooSlow)
            #expect(ended.status == 130)
            #expect(ended.output.hasPrefix("unknown  cancelled"))
            #expect(ended.errors.hasPrefix("It may or may not have been accepted: "))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `Ctrl-C before the request was written says that it was not sent`(signal: Int32) async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { _ in }
        try await StrangeServer.with { server in
            // Longer than the program may run: only the signal ends it in time.
            let program = try workspace.startPushsend(Self.send(to: server.port) + ["--timeout", "1h"])
            try await server.connected()
            if signal == SIGINT { program.interrupt() } else { program.terminate() }
            let ended = await program.end()
            #expect(!ended.wasTooSlow)
            expectNotSent(ended, 130, "cancel")
            #expect(ended.output.hasPrefix("not sent  cancelled"))
        }
    }

    /// Signed with the mock's key, because it is there.
    private static func send(to port: Int) -> [String] {
        [
            "send", RunningMock.token, "--key", "mock/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12",
            "--topic", "com.example.app", "-m", "Hello", "--endpoint", "127.0.0.1:\(port)", "--cacert", "mock/ca.pem",
        ]
    }
}
