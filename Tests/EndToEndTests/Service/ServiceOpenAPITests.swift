import Foundation
import TestSupport
import Testing

/// Schemathesis reads the service's OpenAPI document and sends what it allows, and what it does not.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct ServiceOpenAPITests {
    /// Only these refusals of valid data are no mistake: the document cannot say which payloads Apple takes, what a line of CSV is, what a time is, that filters exclude each
    /// other, or that the query and the body name the same app. Where one value does, requests have it: an app that exists, a cursor of the list, a time that isn't too long ago.
    private static let configuration = """
        [parameters]
        "query.app" = "shop"

        [[operations]]
        include-path = "/v1/notifications"
        checks.positive_data_acceptance.enabled = false

        [[operations]]
        include-path = "/v1/campaigns"
        checks.positive_data_acceptance.enabled = false

        [[operations]]
        include-path = "/v1/campaigns/{id}/lines"
        checks.positive_data_acceptance.enabled = false

        [[operations]]
        include-path = "/v1/notifications/cancel"
        checks.positive_data_acceptance.enabled = false

        [[operations]]
        include-path = "/v1/dead-letters/redrive"
        checks.positive_data_acceptance.enabled = false

        [[operations]]
        include-path = "/v1/dead-letters"
        parameters = {"query.after" = "0"}

        [[operations]]
        include-path = "/v1/gone-tokens"
        parameters = {"query.after" = "0"}

        [[operations]]
        include-path = "/v1/results"
        checks.positive_data_acceptance.enabled = false
        parameters = {"query.after" = "r0"}

        [[operations]]
        include-path = "/v1/audit"
        parameters = {"query.after" = ""}

        [[operations]]
        include-path = "/v1/statistics"
        parameters = {"query.since" = "\(Int(Date.now.timeIntervalSince1970) - 3600)"}

        """

    private static let push = #"{"token":"\#(RunningMock.token)","payload":{"aps":{"alert":"Hello"}}}"#

    @Test(.enabled(if: BuiltProgram.schemathesis != nil, "needs schemathesis beside Python"))
    func `the API of the service does what its document says`() async throws {
        let program = try #require(BuiltProgram.schemathesis)
        try await RunningMock.with { mock in
            let service = try await RunningPushserve(before: mock)
            let key = try await service.key("admin")
            // So that lists are not empty.
            #expect(try await service.outcome(of: Self.push, key: key)["kind"]?.string == "accepted")
            try mock.workspace.write(Self.configuration, to: "schemathesis.toml")
            // Without the stream that does not end, and the end of the key that the requests have.
            let ended = try await mock.workspace.run(
                [
                    program, "run", "\(service.url)/v1/openapi.json", "--header", "Authorization: Bearer \(key)",
                    "--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "50", "--seed", "1",
                    "--workers", "1", "--no-color", "--request-timeout", "600", "--exclude-path", "/v1/results/events",
                    "--exclude-path", "/v1/keys/{id}",
                ], limit: .seconds(3600))
            #expect(ended.status == 0, "\(ended.output.suffix(8000))\(ended.errors)")
            await service.end()
        }
    }
}
