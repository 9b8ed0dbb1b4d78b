import InMemoryTracing
import MockAPNs
import TestSupport
import Testing
import Tracing

@testable import PushProvider

/// One span for each notification, where somebody traces.
@Suite(.timeLimit(.minutes(10))) struct TracingTests {
    private func client(of server: ScriptedServer, _ tracer: InMemoryTracer) throws -> PushClient {
        try withTracer(tracer) { try PushClient.sample(to: server) }
    }

    private func text(_ span: FinishedInMemorySpan, _ name: String) -> String? {
        if case .string(let text)? = span.attributes.get(name) { text } else { nil }
    }

    private func number(_ span: FinishedInMemorySpan, _ name: String) -> Int64? {
        if case .int64(let number)? = span.attributes.get(name) { number } else { nil }
    }

    @Test func `an accepted notification is a span with its facts, and the token shortened`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { [.answer($0.streamID, 200, headers: ["apns-id": "GIVEN-BY-APPLE"])] }))
        let tracer = InMemoryTracer()
        let client = try client(of: server, tracer)
        try await client.send(.sample())
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1)
        #expect(tracer.activeSpans.isEmpty)
        #expect(span.operationName == "send com.example.app")
        #expect(span.kind == .producer)
        #expect(text(span, "messaging.system") == "apns")
        #expect(text(span, "messaging.operation.type") == "send")
        #expect(text(span, "messaging.destination.name") == "com.example.app")
        #expect(text(span, "messaging.message.id") == "GIVEN-BY-APPLE")
        #expect(number(span, "messaging.message.body.size") == 34)
        #expect(text(span, "server.address") == "127.0.0.1")
        #expect(number(span, "server.port") == Int64(server.port))
        #expect(text(span, "apns.outcome") == "accepted")
        #expect(text(span, "apns.push_type") == "alert")
        #expect(number(span, "apns.attempts") == 1)
        #expect(number(span, "http.response.status_code") == 200)
        #expect(text(span, "apns.device_token") == "740f4707…78ad")
        #expect(span.status == nil)
        var values: [String] = []
        span.attributes.forEach { values.append("\($1)") }
        #expect(!values.contains { $0.contains(DeviceToken.sampleHex) })
    }

    @Test func `a rejection is an error, with status and reason`() async throws {
        let server = try await ScriptedServer.start(.answering(400, body: #"{"reason":"BadDeviceToken"}"#))
        let tracer = InMemoryTracer()
        let client = try client(of: server, tracer)
        _ = try await client.outcome(of: .sample())
        let span = try #require(tracer.finishedSpans.first)
        #expect(text(span, "apns.outcome") == "rejected")
        #expect(number(span, "http.response.status_code") == 400)
        #expect(text(span, "apns.reason") == "BadDeviceToken")
        #expect(text(span, "error.type") == "BadDeviceToken")
        #expect(span.status?.code == .error)
        #expect(span.status?.message?.hasPrefix("APNs rejected the notification: 400 BadDeviceToken.") == true)
    }

    @Test func `what is not sent and what is unknown are errors with their causes`() async throws {
        let server = try await ScriptedServer.start(ServerScript(onRequest: { _ in [.abort] }))
        let tracer = InMemoryTracer()
        let client = try client(of: server, tracer)
        _ = try await client.outcome(of: .sample())
        _ = try await client.outcome(of: .sample(), timeout: .zero)
        await client.shutdown()
        _ = try await client.outcome(of: .sample())
        let words = tracer.finishedSpans.map { "\(text($0, "apns.outcome") ?? "") \(text($0, "error.type") ?? "")" }
        #expect(words == ["unknown connection_lost", "not_sent deadline", "not_sent shutdown"])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `the span is a child of what the caller's task is in`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let tracer = InMemoryTracer()
        let client = try client(of: server, tracer)
        let outer = try await tracer.withSpan("order") { span in
            _ = try await client.outcome(of: .sample())
            return span.spanID
        }
        let span = try #require(tracer.finishedSpans.first { $0.operationName.hasPrefix("send") })
        #expect(span.parentSpanID == outer)
    }

    @Test func `each notification of a sequence has its span, in the context of the one who reads`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let tracer = InMemoryTracer()
        let client = try client(of: server, tracer)
        let notifications = AsyncStream<PushNotification> { continuation in
            for _ in 0..<20 { if let one = try? PushNotification.sample() { continuation.yield(one) } }
            continuation.finish()
        }
        let outer = try await tracer.withSpan("campaign") { span in
            for try await _ in client.outcomes(of: notifications) {}
            return span.spanID
        }
        let spans = tracer.finishedSpans.filter { $0.operationName == "send com.example.app" }
        #expect(spans.count == 20)
        #expect(spans.allSatisfy { $0.parentSpanID == outer })
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `a retry is part of the same span`() async throws {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        let tracer = InMemoryTracer()
        let client = try withTracer(tracer) {
            try PushClient.sample(to: mock) {
                $0.retry = .standard
                $0.retry.firstPause = .milliseconds(1)
            }
        }
        mock.answerNext(status: 503, reason: .serviceUnavailable)
        try await client.send(.sample())
        #expect(tracer.finishedSpans.map { number($0, "apns.attempts") } == [2])
        await client.shutdown()
        await mock.stop()
    }

    @Test func `a client that was made without a tracer starts no span`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        let tracer = InMemoryTracer()
        try await withTracer(tracer) { _ = try await client.outcome(of: .sample()) }
        #expect(tracer.finishedSpans.isEmpty)
        #expect(tracer.activeSpans.isEmpty)
    }
}
