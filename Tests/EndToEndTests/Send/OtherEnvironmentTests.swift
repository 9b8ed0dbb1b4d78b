import Foundation
import TestSupport
import Testing

/// `--try-other-environment`, where two mocks take Apple's places.
@Suite(.takingTurns, .enabled(if: PrivateNetwork.isPossible)) struct OtherEnvironmentTests {
    private static let production = String(repeating: "ab", count: 32)

    /// Sends to two mocks: the sandbox knows the usual device token, production another one.
    private func send(_ token: String, _ flags: String..., answer: String? = nil) async throws -> Ended {
        let workspace = try Workspace()
        try workspace.write(
            "127.0.0.1 localhost api.sandbox.push.apple.com\n127.0.0.2 api.push.apple.com\n", to: "hosts", mode: 0o644)
        let pushsend = "'\(BuiltProgram.pushsend.path())'"
        let words = [
            pushsend, "send", token, "--try-other-environment", "-e", "sandbox", "--topic", RunningMock.topic, "-m",
            "Hello", "--key", "mock/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12", "--cacert", "mock/ca.pem",
        ]
        if let answer {
            let steps = try JSONEncoder().encode([["production? (yes/no): ", answer]])
            try workspace.write(String(decoding: steps, as: UTF8.self), to: "steps")
        }
        let line = (words + flags).joined(separator: " ")
        let command = answer == nil ? line : "python3 '\(BuiltProgram.client("terminal.py"))' \(line) < steps"
        let script = """
            : > one.jsonl; : > two.jsonl
            \(pushsend) mock --port 443 --json --state mock --unknown-tokens reject --register \(RunningMock.token) >> one.jsonl & one=$!
            until grep -q ready one.jsonl; do sleep 0.05; done
            cp -Rp mock other; rm -f other/running.json
            \(pushsend) mock --listen 127.0.0.2 --port 443 -e production --json --state other --unknown-tokens reject \
            --register \(Self.production) >> two.jsonl & two=$!
            until grep -q ready two.jsonl; do sleep 0.05; done
            \(command); code=$?
            kill $one $two; wait $one $two; exit $code
            """
        return try await workspace.run(PrivateNetwork.command(script))
    }

    @Test func `a device token of production is found, after a question`() async throws {
        let yes = try await send(Self.production, answer: "yes\n")
        #expect(yes.status == 0, "\(yes.output) \(yes.errors)")
        #expect(yes.output.contains("If it belongs to production, the push will be delivered."))
        #expect(yes.output.contains("belongs to production, not to sandbox: use -e production."))
        let no = try await send(Self.production, answer: "no\n")
        #expect(no.status == 1 && no.output.contains("The other environment wasn't tried"))
        #expect(!no.output.contains("production: "))
        let left = try await send(Self.production, answer: "\u{3}")
        #expect(left.status == 130, "\(left.output)")
    }

    @Test func `in a pipe nothing is sent to the other one without --yes`() async throws {
        let unasked = try await send(Self.production)
        #expect(unasked.status == 1 && unasked.errors.contains("The other environment wasn't tried"))
        let yes = try await send(Self.production, "--yes", "--json")
        #expect(yes.status == 0, "\(yes.errors)")
        let lines = yes.output.split(separator: "\n").map { JSON(parsing: String($0)) }
        #expect(lines.map { $0["environment"] } == ["sandbox", "production"])
        #expect(lines.map { $0["outcome"] } == ["rejected", "accepted"])
    }

    @Test func `a device token of the sandbox needs one push, and an unknown one is reported`() async throws {
        let sandbox = try await send(RunningMock.token)
        #expect(sandbox.status == 0 && sandbox.errors.contains("The device token belongs to sandbox."))
        let nobody = try await send(String(repeating: "0", count: 64), "--yes")
        #expect(nobody.status == 1 && nobody.errors.contains("Neither environment knows the device token."))
    }

    @Test func `it is refused where there is no other environment, and for several devices`() async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let usual = [
            "--topic", "a.b", "-m", "x", "--key", key, "--team-id", Workspace.teamID, "--try-other-environment",
        ]
        let endpoint = try await workspace.pushsend(["send", "5f3a", "--endpoint", "localhost:1"] + usual)
        #expect(endpoint.status == 64 && endpoint.errors.contains("for Apple's servers"))
        let several = try await workspace.pushsend(["send", "5f3a", "5f3b"] + usual)
        #expect(several.status == 64 && several.errors.contains("one device token"))
        let both = try await workspace.pushsend(["send", "5f3a", "--dry-run"] + usual)
        #expect(both.status == 64 && both.errors.contains("can't be combined"))
        let yes = try await workspace.pushsend(["send", "5f3a", "--topic", "a.b", "-m", "x", "--yes"])
        #expect(yes.status == 64)
    }
}
