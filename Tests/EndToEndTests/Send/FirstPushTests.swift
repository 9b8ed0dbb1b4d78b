import Foundation
import TestSupport
import Testing

/// What is said only when a phone can be at the other end.
@Suite(.takingTurns, .enabled(if: PrivateNetwork.isPossible)) struct FirstPushTests {
    private static let hint = "Apple accepted it. Not on the phone? pushsend explain nothing-arrived\n"

    @Test func `on a terminal, the first push that Apple takes is followed by where to look, once`() async throws {
        let shown = try await send("--repeat", "2", "--every", "10ms", onTerminal: true)
        #expect(shown.status == 0)
        let parts = shown.output.components(separatedBy: Self.hint)
        #expect(parts.count == 2, "\(shown.output)")
        #expect(parts.first?.contains("accepted  apns-id ") == true)
        #expect(parts.last?.contains("accepted  apns-id ") == true)
    }

    @Test func `in a pipe and with --json it is not said`() async throws {
        let pipe = try await send(onTerminal: false)
        #expect(pipe.status == 0)
        #expect(pipe.errors == "")
        let json = try await send("--json", onTerminal: true)
        #expect(json.status == 0)
        #expect(!json.output.contains("phone"))
    }

    @Test func `what Apple refuses is not followed by it`() async throws {
        let refused = try await send("--team-id", "WRONGTEAM1", onTerminal: true)
        #expect(refused.status == 77)
        #expect(!refused.output.contains("Not on the phone"))
    }

    /// A push to what takes itself for Apple's sandbox.
    private func send(_ flags: String..., onTerminal: Bool) async throws -> Ended {
        let workspace = try Workspace()
        try workspace.write("127.0.0.1 localhost api.sandbox.push.apple.com\n", to: "hosts", mode: 0o644)
        let usual = [
            BuiltProgram.pushsend.path(), "send", RunningMock.token, "-e", "sandbox", "--topic", RunningMock.topic,
            "-m", "Hello", "--key", "mock/AuthKey_MOCKKEY123.p8", "--cacert", "mock/ca.pem",
        ]
        let team = flags.contains("--team-id") ? [] : ["--team-id", "MOCKTEAM12"]
        let terminal = onTerminal ? "echo '[]' | python3 '\(BuiltProgram.client("terminal.py"))'" : ""
        let script = """
            : > mock.jsonl
            '\(BuiltProgram.pushsend.path())' mock --port 443 --json --state mock >> mock.jsonl & mock=$!
            until grep -q ready mock.jsonl; do sleep 0.05; done
            \(terminal) \((usual + team + flags).joined(separator: " ")); code=$?
            kill $mock; wait $mock; exit $code
            """
        return try await workspace.run(PrivateNetwork.command(script))
    }
}
