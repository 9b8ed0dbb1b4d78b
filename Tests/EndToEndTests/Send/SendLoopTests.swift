import Foundation
import TestSupport
import Testing

/// A loop of a shell around `send`, which Apple would take for an attack.
@Suite(.takingTurns, .enabled(if: PrivateNetwork.isPossible)) struct SendLoopTests {
    private static let beginning = "note: This was send number "

    @Test func `to Apple, the fifth push in a row gets advice about one connection`() async throws {
        let ended = try await loop("for number in 1 2 3 4 5 6; do push || exit; done")
        #expect(ended.status == 0)
        #expect(ended.errorLines.count == 1, "\(ended.errors)")
        #expect(ended.errors.hasPrefix(Self.beginning + "5 in quick succession"))
        #expect(ended.errors.contains("pushsend batch -"))
        #expect(ended.errors.contains("--repeat"))
    }

    @Test func `at the same time is a loop too, and each has its own outcome`() async throws {
        let ended = try await loop(
            "for number in 1 2 3 4 5 6; do push & done; for job in 1 2 3 4 5 6; do wait -n || exit; done")
        #expect(ended.status == 0)
        #expect(ended.output.components(separatedBy: "accepted  apns-id ").count == 7)
        #expect(ended.errors.components(separatedBy: Self.beginning).count == 2, "\(ended.errors)")
    }

    @Test func `to a mock it is not said, nor where the folder cannot be written`() async throws {
        let other = try await loop("for number in 1 2 3 4 5 6; do push --endpoint localhost:443 || exit; done", to: "")
        #expect(other.status == 0)
        #expect(other.errors == "")
        let closed = try await loop("export XDG_STATE_HOME=/proc/1/state; for n in 1 2 3 4 5 6; do push || exit; done")
        #expect(closed.status == 0)
        #expect(closed.errors == "")
    }

    /// Pushes to what takes itself for Apple's sandbox.
    private func loop(_ script: String, to place: String = "-e sandbox") async throws -> Ended {
        let work = try Workspace()
        try work.write("127.0.0.1 localhost api.sandbox.push.apple.com\n", to: "hosts", mode: 0o644)
        let whole = """
            push() {
                '\(BuiltProgram.pushsend.path())' send \(RunningMock.token) \(place) --topic \(RunningMock.topic) -m Hello \\
                    --key mock/AuthKey_MOCKKEY123.p8 --team-id MOCKTEAM12 --cacert mock/ca.pem "$@"
            }
            : > mock.jsonl
            '\(BuiltProgram.pushsend.path())' mock --port 443 --json --state mock >> mock.jsonl & mock=$!
            until grep -q ready mock.jsonl; do sleep 0.05; done
            # Keeps the time of the file 8 s ahead, so that also on a busy machine each push comes soon after the one before.
            while kill -0 $mock 2> /dev/null; do
                touch -c -d '8 seconds' "$XDG_STATE_HOME/pushsend/sends"; sleep 0.2
            done &
            (\(script)); code=$?
            kill $mock; wait $mock; exit $code
            """
        try work.write(whole, to: "loop.sh")
        return try await work.run(PrivateNetwork.command("bash loop.sh"))
    }
}
