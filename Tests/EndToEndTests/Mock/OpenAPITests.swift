import Foundation
import TestSupport
import Testing

/// Schemathesis reads the mock's OpenAPI document and sends what it allows, and what it does not.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct OpenAPITests {
    /// The document does not say all that makes a fault, a scenario, a key, a profile, an action or a search valid, so a refusal of
    /// these is no mistake.
    private static let configuration = [
        "/v1/faults", "/v1/connections/{number}/steps", "/v1/scenario", "/v1/keys", "/v1/authorities", "/v1/pushes",
        "/v1/pushes/count", "/v1/pushes/latest", "/v1/pushes/assert", "/v1/phones/{id}", "/v1/phones/{id}/actions",
        "/v1/send", "/v1/lint",
    ]
    .map { "[[operations]]\ninclude-path = \"\($0)\"\nchecks.positive_data_acceptance.enabled = false\n" }
    .joined(separator: "\n")

    /// Without the streams that do not end, the waits, and the end of the mock.
    private static let left = ["/v1/events", "/v1/pushes/wait", "/v1/stop"]

    @Test(.enabled(if: BuiltProgram.schemathesis != nil, "needs schemathesis beside Python"))
    func `the API does what its document says`() async throws {
        let program = try #require(BuiltProgram.schemathesis)
        try await RunningMock.with("--console-port", "0") { mock in
            let port = try #require(JSON(parsing: mock.workspace.read("mock/running.json"))["consolePort"]?.integer)
            try mock.workspace.write(Self.configuration, to: "schemathesis.toml")
            let ended = try await mock.workspace.run(
                [
                    program, "run", "http://127.0.0.1:\(port)/v1/openapi.json", "--phases",
                    "examples,coverage,fuzzing", "--max-examples", "50", "--seed", "1", "--workers", "1", "--no-color",
                    "--request-timeout", "600",
                ] + Self.left.flatMap { ["--exclude-path", $0] }, limit: .seconds(3600))
            #expect(ended.status == 0, "\(ended.output.suffix(8000))\(ended.errors)")
        }
    }
}
