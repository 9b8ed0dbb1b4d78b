import Foundation
import TestSupport
import Testing

/// Requests to the API that stay open: event streams and waits.
@Suite(.takingTurns, .timeLimit(.minutes(5))) struct OpenRequestTests {
    private func exec(_ flags: [String], _ script: String) async throws -> Ended {
        try await Workspace().run(
            [BuiltProgram.pushsend.path(), "mock", "exec"] + flags
                + ["--", "sh", "-c", "P='\(BuiltProgram.pushsend.path())'; \(script)"])
    }

    @Test func `a mock stops while somebody reads its events`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with("--console-port", "0", in: workspace) { mock in
            let port = try #require(JSON(parsing: workspace.read("mock/running.json"))["consolePort"]?.integer)
            let reader = Task {
                try await workspace.run(["curl", "-sSN", "--max-time", "60", "http://127.0.0.1:\(port)/v1/events"])
            }
            try await workspace.prepare("sleep 1")
            let stop = try await workspace.pushsend("mock", "stop", "--state", "mock")
            #expect(stop.status == 0, "\(stop.errors)")
            #expect(try await reader.value.output.hasPrefix("retry: "))
        }
    }

    @Test func `a wait ends with its client, and matches nothing afterwards`() async throws {
        let ended = try await exec(
            ["--fail-on", "unmatched"],
            """
            curl -s --max-time 1 --json '{"query": "title:Hello", "within": "60s"}' "$MOCK_URL/v1/pushes/wait"
            sleep 1
            $P send 5f3ad1c07b9e4286 --mock --topic com.example.app -t Hello -m World
            """)
        #expect(ended.status == 1, "\(ended.errors)")
        #expect(ended.errors.contains("no wait or assert matched"))
    }
}
