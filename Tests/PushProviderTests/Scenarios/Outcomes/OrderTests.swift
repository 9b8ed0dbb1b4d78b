import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// Pushes that replace each other on their device, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct OrderTests {
    private static func score(_ text: String, _ collapseID: String? = "score") throws -> PushNotification {
        try .sample {
            $0.payload = .alert(body: text)
            $0.collapseID = collapseID
        }
    }

    /// A client whose own pauses are so long that a newer push always comes before the next try.
    private static let patient: PushConfiguration.RetryPolicy = {
        var policy = PushConfiguration.RetryPolicy.standard
        policy.firstPause = .seconds(200)
        return policy
    }()

    /// Sends to a server that answers 503 to the first request.
    private func texts(
        _ policy: PushConfiguration.RetryPolicy = Self.patient, retryAfter: String? = nil,
        _ body: (PushClient) async throws -> Void
    ) async throws -> [String] {
        let seen = Watched(0)
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                seen.change { $0 += 1 }
                guard seen.value == 1 else { return [.answer(request.streamID, 200)] }
                let headers = retryAfter.map { ["retry-after": $0] } ?? [:]
                return [.answer(request.streamID, 503, headers: headers)]
            }))
        let client = try PushClient.sample(to: server) { $0.retry = policy }
        try await body(client)
        await client.shutdown()
        return server.connections.flatMap(\.record.value.requests).map(\.body)
    }

    /// The first push may be tried again before the second one starts; it must never be sent after it.
    private static func expectOrder(_ bodies: [String]) {
        let second = bodies.firstIndex { $0.contains("2:0") }
        let lastOfFirst = bodies.lastIndex { $0.contains("1:0") }
        #expect(second == bodies.count - 1 && (lastOfFirst ?? 0) < bodies.count - 1, "\(bodies)")
    }

    @Test(arguments: [nil, "20"])
    func `of a sequence, the older push is not sent again after the newer one`(retryAfter: String?) async throws {
        let bodies = try await texts(retryAfter: retryAfter) { client in
            let lines = AsyncStream<PushNotification> { stream in
                for text in ["1:0", "2:0"] { if let line = try? Self.score(text) { stream.yield(line) } }
                stream.finish()
            }
            var summaries: [Int: String] = [:]
            for try await result in client.outcomes(of: lines) { summaries[result.index] = result.outcome.summary }
            #expect(summaries == [0: "not sent: superseded, queue", 1: "accepted"])
        }
        #expect(bodies.count == 2)
        Self.expectOrder(bodies)
    }

    @Test func `of two sends at the same time, the older one is superseded and says so at once`() async throws {
        let bodies = try await texts(retryAfter: "100") { client in
            let sendings = try await client.start([Self.score("1:0"), Self.score("2:0")])
            let outcome = try await sendings[0].value
            #expect(outcome.summary == "not sent: superseded, queue")
            #expect(outcome.trace.attempts == 1)
            #expect(outcome.sentence.contains("same collapse id"))
            #expect(try await sendings[1].summary == "accepted")
        }
        #expect(bodies.count == 2)
        Self.expectOrder(bodies)
    }

    @Test(arguments: [nil, "other"])
    func `a push with another collapse id, or with none, supersedes nothing`(collapseID: String?) async throws {
        let bodies = try await texts(.quick) { client in
            let sendings = try await client.start([Self.score("1:0"), Self.score("2:0", collapseID)])
            #expect(try await sendings.summaries == ["accepted", "accepted"])
        }
        #expect(bodies.count == 3)
    }

    @Test func `two pushes of a key are never on the way at the same time, and other keys pass`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let sendings = try await client.start([
            Self.score("1:0"), Self.score("2:0"), Self.score("news", nil), Self.score("3:0"),
        ])
        let first = try await connection.request(2)
        let news = try await connection.request(3)
        #expect(first.body.contains("1:0") && news.body.contains("news"))
        try await connection.perform(.answer(news.streamID, 200))
        #expect(try await sendings[2].summary == "accepted")
        try await connection.perform(.answer(first.streamID, 200))
        let second = try await connection.request(4)
        #expect(second.body.contains("2:0"))
        try await connection.perform(.answer(second.streamID, 200))
        let third = try await connection.request(5)
        #expect(third.body.contains("3:0"))
        try await connection.perform(.answer(third.streamID, 200))
        #expect(try await sendings.summaries == Array(repeating: "accepted", count: 4))
        await client.shutdown()
    }

    @Test func `a push that waits for its key obeys its deadline, a cancellation and a shutdown`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let first = try await client.start(Self.score("1:0"))
        _ = try await connection.request(2)
        let late = try await client.start(Self.score("2:0"), timeout: .milliseconds(50))
        let cancelled = try await client.start(Self.score("3:0"))
        let last = try await client.start(Self.score("4:0"))
        let outcome = try await late.value
        #expect(outcome.summary == "not sent: deadline, queue")
        #expect(outcome.sentence.contains("same collapse id was on the way"))
        cancelled.cancel()
        #expect(try await cancelled.summary == "not sent: cancelled, queue")
        let report = await client.shutdown(drainTime: .milliseconds(50))
        #expect(try await first.summary == "unknown: connection_lost, wait")
        #expect(try await last.summary == "not sent: shutdown, queue")
        #expect(report == PushClient.ShutdownReport(notSent: 1, unknown: 1))
    }

    @Test func `a push in flight that is cancelled, or whose connection ends, frees its key`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let sendings = try await client.start((1...3).map { try Self.score("\($0):0") })
        _ = try await connection.request(2)
        sendings[0].cancel()
        #expect(try await sendings[0].summary == "unknown: cancelled, wait")
        #expect(try await connection.request(3).body.contains("2:0"))
        try await connection.perform(.close)
        #expect(try await sendings[1].summary == "unknown: connection_lost, wait")
        let next = try await server.connection(2)
        let request = try await next.request(1)
        #expect(request.body.contains("3:0"))
        try await next.perform(.answer(request.streamID, 200))
        #expect(try await sendings[2].summary == "accepted")
        await client.shutdown()
    }

    @Test func `an unknown outcome stays unknown when its repetition is superseded`() async throws {
        var policy = Self.patient
        policy.guarantee = .atLeastOnce
        let seen = Watched(0)
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                seen.change { $0 += 1 }
                return seen.value == 1 ? [.reset(request.streamID, .internalError)] : [.answer(request.streamID, 200)]
            }))
        let client = try PushClient.sample(to: server) { $0.retry = policy }
        let sendings = try await client.start([Self.score("1:0"), Self.score("2:0")])
        #expect(try await sendings.summaries == ["unknown: stream_reset, wait", "accepted"])
        await client.shutdown()
    }
}
