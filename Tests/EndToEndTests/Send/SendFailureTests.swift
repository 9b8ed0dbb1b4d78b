import Foundation
import Testing

@Suite(.takingTurns) struct SendFailureTests {
    @Test(arguments: ["swallow", "hang-up"])
    func `what was written and not answered is unknown, exit code 76`(manner: String) async throws {
        let place = try Workplace()
        try await PythonServer.with(manner, in: place) { server in
            let ended = try await place.pushsend(Self.send(to: server.port) + ["--timeout", "2s"])
            #expect(ended.status == 76)
            #expect(ended.output.hasPrefix("unknown  "))
            #expect(ended.errors.hasPrefix("It may or may not have been taken: "))
            #expect(ended.errorLines.count == 1)
        }
    }

    @Test(arguments: ["refuse", "go-away"])
    func `what the server says it did not process was not sent, exit code 75`(manner: String) async throws {
        let place = try Workplace()
        try await PythonServer.with(manner, in: place) { server in
            let ended = try await place.pushsend(Self.send(to: server.port) + ["--timeout", "2s"])
            expectNotSent(ended, 75)
        }
    }

    @Test func `an answer that is not APNs's is shown, without what would steer the terminal`() async throws {
        let place = try Workplace()
        try await PythonServer.with("garbage", in: place) { server in
            let ended = try await place.pushsend(Self.send(to: server.port))
            #expect(ended.status == 1)
            #expect(ended.output.hasPrefix("rejected  500"))
            #expect(ended.errors.contains("down for maintenance"))
            #expect(!ended.errors.contains("\u{1B}"))
        }
    }

    @Test func `Ctrl-C after the request was written says that it may have been taken`() async throws {
        let place = try Workplace()
        try await PythonServer.with("swallow", in: place) { server in
            let program = try place.startPushsend(Self.send(to: server.port))
            try await server.request()
            let clock = ContinuousClock()
            let pressed = clock.now
            program.interrupt()
            let ended = await program.end()
            #expect(clock.now - pressed < .seconds(5))
            #expect(ended.status == 130)
            #expect(ended.output.hasPrefix("unknown  cancelled"))
            #expect(ended.errors.hasPrefix("It may or may not have been taken: "))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `Ctrl-C before the request was written says that it was not sent`(signal: Int32) async throws {
        let place = try Workplace()
        try await RunningMock.with(in: place) { _ in }
        try await StrangeServer.with { server in
            let program = try place.startPushsend(Self.send(to: server.port))
            try await server.connected()
            let clock = ContinuousClock()
            let pressed = clock.now
            if signal == SIGINT { program.interrupt() } else { program.terminate() }
            let ended = await program.end()
            #expect(clock.now - pressed < .seconds(5))
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
