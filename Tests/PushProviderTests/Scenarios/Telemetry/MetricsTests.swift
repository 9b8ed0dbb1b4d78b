import Foundation
import Metrics
import MetricsTestKit
import MockAPNs
import NIOCore
import TestSupport
import Testing

@testable import PushProvider

/// What an operator sees, each client with a recorder of its own.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    @Test func `acceptances and rejections are counted, with the time that answers took`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(to: mock) }
        for _ in 0..<3 { _ = try await client.outcome(of: .sample()) }
        mock.answerNext(status: 503, reason: .serviceUnavailable)
        _ = try await client.outcome(of: .sample())
        mock.answerNext(status: 400, reason: "MadeUpByTheServer")
        _ = try await client.outcome(of: .sample())

        #expect(try outcomes(recorder, "accepted") == 3)
        #expect(try outcomes(recorder, "rejected") == 2)
        #expect(try outcomes(recorder, "not_sent") == 0)
        #expect(try outcomes(recorder, "unknown") == 0)
        #expect(try rejections(recorder, "ServiceUnavailable", 503) == 1)
        #expect(try recorder.expectTimer("push_answer_duration_nanoseconds").values.count == 5)
        #expect(try total(recorder, "push_connections_opened_total") == 1)
        #expect(try total(recorder, "push_connections_failed_total") == 0)
        await mock.stop()
    }

    /// A server that makes up words must not make up time series.
    @Test func `a reason that is not known is counted as other`() async throws {
        let server = try await ScriptedServer.start(.answering(418, body: #"{"reason":"MadeUpByTheServer"}"#))
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(to: server) }
        _ = try await client.outcome(of: .sample())
        #expect(try rejections(recorder, "other", 418) == 1)
    }

    @Test func `without a connection, what is not sent and the attempt are counted`() async throws {
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(.local(port: 1)) }
        #expect(try await client.outcome(of: .sample()).summary == "not sent: no_connection, tcp")
        #expect(try outcomes(recorder, "not_sent") == 1)
        #expect(try total(recorder, "push_connections_failed_total") == 1)
        #expect(try total(recorder, "push_connections_opened_total") == 0)
    }

    @Test func `a lost connection is an unknown outcome`() async throws {
        let server = try await ScriptedServer.start(ServerScript(onRequest: { _ in [.abort] }))
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(to: server) }
        #expect(try await client.outcome(of: .sample()).summary == "unknown: connection_lost, wait")
        #expect(try outcomes(recorder, "unknown") == 1)
        #expect(try total(recorder, "push_connections_opened_total") == 1)
    }

    @Test func `what the shut-down client refuses is not sent`() async throws {
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(.local(port: 1)) }
        await client.shutdown()
        #expect(try await client.outcome(of: .sample()).summary == "not sent: shutdown, queue")
        #expect(try outcomes(recorder, "not_sent") == 1)
    }

    // MARK: Reading the recorder

    private func outcomes(_ recorder: TestMetrics, _ outcome: String) throws -> Int64 {
        try recorder.expectCounter("push_outcomes_total", [("outcome", outcome)]).totalValue
    }

    private func rejections(_ recorder: TestMetrics, _ reason: String, _ status: Int) throws -> Int64 {
        try recorder.expectCounter("push_rejections_total", [("reason", reason), ("status", "\(status)")]).totalValue
    }

    private func total(_ recorder: TestMetrics, _ label: String) throws -> Int64 {
        try recorder.expectCounter(label).totalValue
    }
}

/// `docs/swift.md` has a row for each metric, and for no other.
@Suite struct MetricsPageTests {
    @Test func `each metric has its row, and each row its metric`() throws {
        let sources = ["PushMetrics", "PushGauges"].map {
            Repository.text("Sources/PushProvider/Telemetry/\($0).swift")
        }
        let metrics = sources.joined().matches(of: /"(push_[a-z_]+)"/).map { String($0.output.1) }
        #expect(metrics.count > 20)
        let page = Repository.text("docs/swift.md")
        let rows = page.matches(of: #/(?m)^\| `(push_[a-z_]+)` \|/#).map { String($0.output.1) }
        #expect(Set(rows) == Set(metrics))
    }
}
