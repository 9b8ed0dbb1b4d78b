import Foundation
import Metrics
import MetricsTestKit
import TestSupport
import Testing

@testable import PushProvider

/// A sequence that is stopped before good tokens are thrown away.
@Suite(.timeLimit(.minutes(10))) struct PushMismatchBreakerTests {
    /// So many notifications, and how many were asked for.
    private struct Source: AsyncSequence, Sendable {
        var count: Int
        var read = Watched(0)
        /// The topic by the number of the notification; `nil` for the usual one.
        var topic: @Sendable (Int) -> String? = { _ in nil }

        struct Iterator: AsyncIteratorProtocol {
            var source: Source
            var index = 0

            mutating func next() async throws -> PushNotification? {
                guard index < source.count else { return nil }
                index += 1
                let number = index
                source.read.change { $0 = number }
                let topic = source.topic(number)
                return try .sample { notification in
                    notification.collapseID = String(number - 1)
                    if let topic { notification.topic = topic }
                }
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(source: self) }
    }

    private static let bad = #"{"reason":"BadDeviceToken"}"#

    private func server(_ body: @escaping @Sendable (Int) -> String?) async throws -> ScriptedServer {
        try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                let body = body(Int(request.fields["apns-collapse-id"] ?? "") ?? 0)
                return [.answer(request.streamID, body == nil ? 200 : 400, body: body ?? "")]
            }))
    }

    /// Every outcome by its place, and what was thrown at the end.
    private func runToEnd(
        _ outcomes: PushOutcomes<some AsyncSequence<PushNotification, any Error> & Sendable>
    ) async -> (summaries: [Int: String], end: (any Error)?) {
        var summaries: [Int: String] = [:]
        do {
            for try await result in outcomes {
                let summary = result.outcome.summary
                #expect(summaries.updateValue(summary, forKey: result.index) == nil)
            }
        } catch {
            return (summaries, error)
        }
        return (summaries, nil)
    }

    /// Every outcome by its place, and how it ended.
    private func run(
        _ outcomes: PushOutcomes<some AsyncSequence<PushNotification, any Error> & Sendable>
    ) async throws -> (summaries: [Int: String], mismatch: PushMismatch?) {
        let (summaries, end) = await runToEnd(outcomes)
        if let mismatch = end as? PushMismatch { return (summaries, mismatch) }
        if let end { throw end }
        return (summaries, nil)
    }

    @Test func `in the wrong environment it stops after a hundred, and says so`() async throws {
        let server = try await server { _ in Self.bad }
        let log = CapturedLog()
        let recorder = TestMetrics()
        let client = try withMetricsFactory(recorder) { try PushClient.sample(to: server, logger: log.logger) }
        let source = Source(count: 100_000)
        let (summaries, mismatch) = try await run(client.outcomes(of: source))
        #expect(mismatch?.reason == .badDeviceToken)
        #expect(mismatch?.answers == 100)
        let rejected = summaries.values.count { $0 == "rejected 400 BadDeviceToken" }
        #expect((100...199).contains(rejected))
        // What was read has an outcome each, and most of the list was not read.
        #expect(summaries.count == source.read.value)
        #expect(summaries.values.count { $0 == "not sent: mismatch, queue" } == summaries.count - rejected)
        #expect(source.read.value < 300)
        #expect(log.lines.count { $0.hasPrefix("error stopped a sequence") } == 1)
        let stopped = try recorder.expectCounter("push_sequences_stopped_total", [("reason", "BadDeviceToken")])
        #expect(stopped.totalValue == 1)
        // The next one is judged by itself, and so is a single send.
        #expect(try await client.outcome(of: .sample()).summary == "rejected 400 BadDeviceToken")
        #expect(try await run(client.outcomes(of: Source(count: 50))).mismatch == nil)
    }

    /// The source has nothing more when the answer comes that stops it.
    @Test(arguments: [100, 150])
    func `a list that is no longer than what tells ends with the mismatch too`(count: Int) async throws {
        let server = try await server { _ in Self.bad }
        let client = try PushClient.sample(to: server)
        let source = Source(count: count)
        let (summaries, mismatch) = try await run(client.outcomes(of: source))
        #expect(mismatch?.mismatches == 100)
        #expect(summaries.count == source.read.value)
    }

    // MARK: Credentials

    private static let disallowed = #"{"reason":"TopicDisallowed"}"#

    @Test func `a topic that is refused is not sent to any more, and other topics are`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                let isRefused = request.fields["apns-topic"] == "com.example.app"
                return [.answer(request.streamID, isRefused ? 400 : 200, body: isRefused ? Self.disallowed : "")]
            }))
        let client = try PushClient.sample(to: server) { $0.streamsPerConnection = 10 }
        let source = Source(count: 1000, topic: { $0.isMultiple(of: 2) ? "com.example.other" : nil })
        let (summaries, end) = await runToEnd(client.outcomes(of: source))
        #expect(end == nil)
        let counts = Dictionary(summaries.values.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts["accepted"] == 500)
        let rejected = try #require(counts["rejected 400 TopicDisallowed"])
        #expect((20...60).contains(rejected), "\(rejected)")
        #expect(rejected + (counts["not sent: topic_refused, queue"] ?? 0) == 500)
    }

    @Test(arguments: [true, false])
    func `credentials that are refused end it, with what APNs said`(hasBreaker: Bool) async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { [.answer($0.streamID, 403, body: #"{"reason":"Forbidden"}"#)] }))
        let client = try PushClient.sample(to: server) {
            // What stops for the tokens is another thing.
            if !hasBreaker { $0.mismatchBreaker = nil }
        }
        let source = Source(count: 1000)
        let (summaries, end) = await runToEnd(client.outcomes(of: source))
        let refused = try #require(end as? PushCredentialsRefused)
        #expect(refused.cause == .credentials)
        #expect(refused.unsent == 20)
        #expect(refused.reason.contains("403 Forbidden"))
        #expect(summaries.count == source.read.value)
        #expect(summaries.values.count { $0 == "rejected 403 Forbidden" } == 3)
    }

    // MARK: What is sent whole

    @Test func `a list of which every second token is wrong is sent whole`() async throws {
        let server = try await server { $0.isMultiple(of: 2) ? Self.bad : nil }
        let client = try PushClient.sample(to: server)
        let (summaries, mismatch) = try await run(client.outcomes(of: Source(count: 2000)))
        #expect(mismatch == nil)
        #expect(summaries.values.count { $0 == "accepted" } == 1000)
    }

    @Test func `ten wrong tokens are sent whole`() async throws {
        let server = try await server { _ in Self.bad }
        let client = try PushClient.sample(to: server)
        let (summaries, mismatch) = try await run(client.outcomes(of: Source(count: 10)))
        #expect(mismatch == nil)
        #expect(summaries.count == 10)
    }

    @Test func `switched off, everything is sent`() async throws {
        let server = try await server { _ in Self.bad }
        let client = try PushClient.sample(to: server) { $0.mismatchBreaker = nil }
        let (summaries, mismatch) = try await run(client.outcomes(of: Source(count: 2000)))
        #expect(mismatch == nil)
        #expect(summaries.count == 2000)
    }

    @Test func `what is in flight keeps its own outcome, and what is queued is not sent`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(6)))
        let log = CapturedLog()
        let client = try PushClient.sample(to: server, logger: log.logger) {
            $0.mismatchBreaker = .init(share: 1, window: 8)
            $0.maximumConnections = 1
        }
        try await client.authenticate(at: server)
        let source = Source(count: 1000)
        async let running = run(client.outcomes(of: source))
        let connection = try await server.connection(1)
        // Six are in flight and two queued; with eight answers it stops, and six others are in flight then.
        for number in 2...9 {
            let request = try await connection.request(number)
            try await connection.perform(.answer(request.streamID, 400, body: Self.bad))
        }
        try await log.wait(for: "the stop") { $0.contains { $0.hasPrefix("error stopped a sequence") } }
        let isOver = Watched(false)
        async let answering: Void = {
            // Between two looks others have the thread: answering nothing does not wait for anything.
            while !isOver.value {
                try await connection.answerOpen(200)
                try await Task.sleep(for: .milliseconds(1))
            }
        }()
        let (summaries, mismatch) = try await running
        isOver.change { $0 = true }
        try await answering
        #expect(mismatch?.answers == 8)
        let counts = Dictionary(summaries.values.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts["rejected 400 BadDeviceToken"] == 8)
        let accepted = try #require(counts["accepted"])
        #expect(accepted + 8 + (counts["not sent: mismatch, queue"] ?? 0) == summaries.count)
        #expect(summaries.count == source.read.value)
        #expect(source.read.value <= 16)
    }

    @Test func `a source that has nothing more to give yet does not hold up the end`() async throws {
        let server = try await server { _ in Self.bad }
        let client = try PushClient.sample(to: server) { $0.mismatchBreaker = .init(share: 1, window: 3) }
        let (stream, source) = AsyncThrowingStream.makeStream(of: PushNotification.self)
        for _ in 0..<3 { source.yield(try .sample()) }
        let (summaries, mismatch) = try await run(client.outcomes(of: stream))
        #expect(summaries.count == 3)
        #expect(mismatch?.mismatches == 3)
        withExtendedLifetime(source) {}
    }

    @Test func `an answer that says nothing of a token does not count`() async throws {
        let server = try await server { $0.isMultiple(of: 2) ? Self.bad : #"{"reason":"TooManyRequests"}"# }
        let client = try PushClient.sample(to: server) { $0.mismatchBreaker = .init(share: 1, window: 10) }
        let (summaries, mismatch) = try await run(client.outcomes(of: Source(count: 1000)))
        #expect(mismatch?.mismatches == 10)
        #expect(summaries.count < 1000)
    }
}
