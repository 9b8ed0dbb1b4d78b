import Metrics
import MetricsTestKit
import MockAPNs
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import PushProvider

/// What is measured from time to time: the last value of each gauge can be waited for.
private final class GaugeBoard: MetricsFactory, Sendable {
    private let counted = TestMetrics()
    let values = Watched<[String: Double]>([:])

    private final class Needle: RecorderHandler, Sendable {
        let label: String
        let published: GaugeBoard

        init(_ label: String, _ published: GaugeBoard) { (self.label, self.published) = (label, published) }
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) { published.values.change { $0[label] = value } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counted.makeCounter(label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Needle(dimensions.reduce(label) { "\($0) \($1.0)=\($1.1)" }, self)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        counted.makeTimer(label: label, dimensions: dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

@Suite(.timeLimit(.minutes(10))) struct GaugesTests {
    private func client(
        to server: ScriptedServer, _ published: GaugeBoard, _ adjust: (inout PushConfiguration) -> Void = { _ in }
    ) throws -> PushClient {
        try withMetricsFactory(published) {
            try PushClient.sample(to: server) {
                $0.measuringInterval = .milliseconds(5)
                adjust(&$0)
            }
        }
    }

    @Test func `queue, streams and connections are measured while there is work, and are zero after it`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(3)))
        let published = GaugeBoard()
        let client = try client(to: server, published) {
            $0.queuedNotifications = 4
            $0.maximumConnections = 1
        }
        try await client.authenticate(at: server)
        let sendings = try await client.start(9)
        try await published.values.wait(for: "three in flight, four queued, two waiting") { values in
            values["push_in_flight"] == 3 && values["push_queue_length"] == 4
                && values["push_queue_waiting_callers"] == 2
                && values["push_stream_limit"] == 3 && values["push_connections"] == 1
                && (values["push_queue_bytes"] ?? 0) > 100 && (values["push_queue_oldest_age_seconds"] ?? 0) > 0
        }
        #if os(Linux)
            try await published.values.wait(for: "a round-trip time") { ($0["push_round_trip_seconds"] ?? 0) > 0 }
        #endif
        let age = try #require(published.values.value["push_provider_token_age_seconds"])
        #expect((0...2460).contains(age))
        #expect(published.values.value["push_certificate_days_left"] == nil)
        await client.shutdown(drainTime: .zero)
        try await published.values.wait(for: "nothing anywhere") { values in
            values["push_in_flight"] == 0 && values["push_connections"] == 0 && values["push_stream_limit"] == 0
                && values["push_queue_length"] == 0 && values["push_queue_waiting_callers"] == 0
                && values["push_provider_token_age_seconds"] == 0
        }
        #expect(try await sendings.summaries.count == 9)
    }

    @Test func `several clients of a process are distinguished by their names`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let published = GaugeBoard()
        let recorder = TestMetrics()
        let measured = try client(to: server, published) { $0.metricsName = "orders" }
        try await measured.send(.sample())
        try await published.values.wait(for: "its gauge") { $0["push_connections client=orders"] == 1 }
        let counted = try withMetricsFactory(recorder) {
            try PushClient.sample(to: server) { $0.metricsName = "news" }
        }
        try await counted.send(.sample())
        let counter = try recorder.expectCounter(
            "push_outcomes_total", [("outcome", "accepted"), ("client", "news")])
        #expect(counter.totalValue == 1)
    }

    @Test(arguments: [(86_399, 0), (86_400, 1), (0, 0), (-1, -1), (-86_400, -1), (-86_401, -2)])
    func `one that is over has fewer than no days left`(seconds: Int, days: Int) {
        #expect(MetricsSampler.wholeDays(from: 1_795_000_000, to: 1_795_000_000 + seconds) == days)
    }

    @Test func `the days that a certificate has left are measured`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let published = GaugeBoard()
        let identity = try CertificateSet.shared().identity("universal.p12")
        let client = try withMetricsFactory(published) {
            try PushClient.sample(to: server, credentials: .identity(identity)) {
                $0.measuringInterval = .milliseconds(5)
            }
        }
        try await client.send(.sample())
        let values = try await published.values.wait(for: "the days") { $0["push_certificate_days_left"] != nil }
        #expect(values["push_certificate_days_left"] == Double(identity.certificate.daysLeft()))
        #expect(values["push_provider_token_age_seconds"] == nil)
    }

    // MARK: Counted

    @Test func `GOAWAYs, reconnects and what is not sent or unknown are counted, each with its word`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                let goAway = ServerStep.goAway(lastStreamID: request.streamID, text: #"{"reason":"Shutdown"}"#)
                return request.connection == 1 ? [.answer(request.streamID, 200), goAway] : [.abort]
            }))
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(to: server) }
        try await client.send(.sample())
        #expect(try await client.outcome(of: .sample()).summary == "unknown: connection_lost, wait")
        #expect(try await client.outcome(of: .sample(), timeout: .zero).summary == "not sent: deadline, queue")
        func total(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
            try recorder.expectCounter(label, dimensions).totalValue
        }
        #expect(try total("push_goaways_total", [("reason", "Shutdown")]) == 1)
        #expect(try total("push_reconnects_total") == 1)
        #expect(try total("push_connections_opened_total") == 2)
        #expect(try total("push_unknown_total", [("cause", "connection_lost")]) == 1)
        #expect(try total("push_not_sent_total", [("cause", "deadline")]) == 1)
    }

    @Test func `a window that is used up is counted`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(to: server) }
        try await client.send(.sample())
        let payload = PushPayload.alert(body: String(repeating: "x", count: 4000))
        let sendings = await client.start(try (0..<100).map { _ in try .sample { $0.payload = payload } })
        for sending in sendings { #expect(try await sending.summary == "accepted") }
        // A hundred times 4 kB is more than the 65 535 bytes of a window.
        #expect(try recorder.expectCounter("push_window_stalls_total").totalValue > 0)
    }
}
