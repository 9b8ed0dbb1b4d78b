import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct HTTPClientTests {
    @Test func `httpx pushes to it, and many times on one connection`() async throws {
        let python = try BuiltProgram.preparedPython()
        try await expectFiftyAccepted(from: [python, BuiltProgram.client("httpx_push.py")])
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("node"), "node is not installed"))
    func `node pushes to it, and many times on one connection`() async throws {
        try await expectFiftyAccepted(from: ["node", BuiltProgram.client("node_push.mjs")])
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("nghttp"), "nghttp is not installed"))
    func `nghttp pushes to it`() async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.run("nghttp", "-nv", "-d", "payload.json")
            #expect(ended.output.contains(":status: 200"))
        }
        #expect(requests.map { $0["status"] } == [200])
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("h2load"), "h2load is not installed"))
    func `h2load pushes a thousand times on four connections that send one at a time`() async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.run("h2load", "-n", "1000", "-c", "4", "-m", "1", "-d", "payload.json")
            #expect(ended.output.contains("1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout"))
        }
        #expect(requests.filter { $0["status"] == 200 }.count == 1000)
    }

    /// h2load does not wait for SETTINGS: it opens more than the one stream that a fresh connection may have. The mock serves all.
    @Test(.enabled(if: BuiltProgram.isInstalled("h2load"), "h2load is not installed"))
    func `h2load with a hundred streams at once loses none`() async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.run("h2load", "-n", "1000", "-c", "1", "-m", "100", "-d", "payload.json")
            #expect(ended.output.contains("1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout"))
        }
        #expect(requests.count == 1000)
        #expect(requests.allSatisfy { $0["status"] == 200 })
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("node"), "node is not installed"))
    func `node opens twenty streams before it has seen SETTINGS, and all are served`() async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.workspace.run([
                "node", BuiltProgram.client("node_burst.mjs"), "https://localhost:\(mock.port)", mock.caFile,
                try await mock.providerToken(), RunningMock.topic, "20", RunningMock.token,
            ])
            #expect(ended.errors == "")
            #expect(ended.output == String(repeating: "200\n", count: 20))
        }
        #expect(requests.count == 20)
    }

    /// One push alone, 49 at once, and one to an app that is gone.
    private func expectFiftyAccepted(from client: [String]) async throws {
        let requests = try await RunningMock.with("--unregistered", CurlTests.gone) { mock in
            let ended = try await mock.workspace.run(
                client + [
                    "https://localhost:\(mock.port)", mock.caFile, try await mock.providerToken(), RunningMock.topic,
                    "50", RunningMock.token, CurlTests.gone,
                ])
            #expect(ended.errors == "")
            let answers = ended.output.split(separator: "\n").map { JSON(parsing: String($0)) }
            #expect(answers.filter { $0["status"] == 200 && $0["body"] == "" }.count == 50)
            let rejected = answers.filter { $0["status"] != 200 }
            #expect(rejected.map { $0["status"] } == [410])
            #expect(JSON(parsing: rejected.first?["body"]?.string ?? "")["reason"] == "Unregistered")
            #expect(Set(answers.compactMap { $0["apns_id"]?.string }).count == 51)
        }
        #expect(requests.count == 51)
        #expect(Set(requests.map { $0["connection"]?.integer }) == [1])
    }
}

extension RunningMock {
    /// Runs a client that takes headers as curl does, with those of a push and a file with its payload.
    fileprivate func run(_ program: String, _ flags: String...) async throws -> Ended {
        try workspace.write(Self.payload, to: "payload.json")
        let headers = ["authorization: bearer \(try await providerToken())"] + Self.usualHeaders
        return try await workspace.run(
            [program] + flags + headers.flatMap { ["-H", $0] }
                + ["https://localhost:\(port)/3/device/\(Self.token)"])
    }
}

@Suite(.takingTurns) struct StreamSettingsTests {
    /// Seen at Apple's: one stream until a request is authenticated, a thousand from then on.
    @Test func `the mock allows one stream until a provider token was taken, then a thousand`() async throws {
        let python = try BuiltProgram.preparedPython()
        try await RunningMock.with { mock in
            let bearer = "bearer \(try await mock.providerToken())"
            let ended = try await mock.workspace.run([
                python, BuiltProgram.client("h2_settings.py"), "\(mock.port)", mock.caFile, bearer,
            ])
            #expect(ended.errors == "")
            #expect(ended.output == "1\n1\n1000\n")
        }
    }
}
