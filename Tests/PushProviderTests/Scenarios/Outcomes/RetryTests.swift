import Foundation
import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// What is sent again by itself, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct RetryTests {
    /// A server that does one thing to the first requests, of this number, and accepts all others.
    private func outcome(
        first count: Int = 1, _ policy: PushConfiguration.RetryPolicy = .quick, timeout: Duration? = nil,
        _ steps: @escaping @Sendable (ServedRequest) -> [ServerStep]
    ) async throws -> (PushOutcome, [ServedRequest]) {
        let seen = Watched(0)
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                seen.change { $0 += 1 }
                return seen.value > count ? [.answer(request.streamID, 200)] : steps(request)
            }))
        let client = try PushClient.sample(to: server) { $0.retry = policy }
        let outcome = try await client.outcome(of: .sample(), timeout: timeout)
        await client.shutdown()
        return (outcome, server.connections.flatMap(\.record.value.requests))
    }

    /// One that comes back after the queue was last looked at: only what was said at its return brings the look.
    @Test func `what comes back when no server is there any more ends at its deadline`() async throws {
        let server = try await ScriptedServer.start()
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time) { $0.retry = .standard }
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let (short, long) = try await time.whileStopped {
            let short = try await client.start(.sample(), timeout: .seconds(2))
            let long = try await client.start(.sample(), timeout: .seconds(8))
            _ = try await connection.request(3)
            return (short, long)
        }
        #expect(try await short.summary == "unknown: deadline, wait")
        try await time.whileStopped {
            try await server.stopListening()
            try await connection.perform(.goAway(lastStreamID: 1))
            try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        }
        #expect(try await long.summary.hasPrefix("not sent: "))
    }

    @Test(arguments: [1, 2]) func `a refused stream is sent again with the same id`(times: Int) async throws {
        let (outcome, requests) = try await outcome(first: times) { [.reset($0.streamID, .refusedStream)] }
        #expect(outcome.summary == "accepted")
        #expect(outcome.trace.attempts == times + 1)
        #expect(requests.count == times + 1)
        #expect(Set(requests.map(\.apnsID)).count == 1)
    }

    @Test func `a server that refuses everything is left for another connection`() async throws {
        var policy = PushConfiguration.RetryPolicy.quick
        policy.attempts = 8
        let (outcome, requests) = try await outcome(first: .max, policy) { [.reset($0.streamID, .refusedStream)] }
        #expect(outcome.summary == "not sent: refused, wait")
        #expect(requests.count == 8)
        #expect(Set(requests.map(\.connection)).count > 1)
        #expect(Set(requests.map(\.apnsID)).count == 1)
    }

    @Test func `what a GOAWAY leaves out goes over the next connection`() async throws {
        let (outcome, requests) = try await outcome { _ in [.goAway(lastStreamID: 0)] }
        #expect(outcome.summary == "accepted")
        #expect(requests.map(\.connection) == [1, 2])
        #expect(Set(requests.map(\.apnsID)).count == 1)
    }

    @Test(arguments: [429, 500, 503]) func `what the server cannot take now is sent again`(status: Int) async throws {
        let (outcome, requests) = try await outcome(first: 3) { [.answer($0.streamID, status)] }
        #expect(outcome.summary == "accepted")
        #expect(outcome.trace.attempts == 4)
        #expect(Set(requests.map(\.connection)) == [1])
    }

    @Test func `a stopping server is left for another connection`() async throws {
        let (outcome, requests) = try await outcome {
            [.answer($0.streamID, 503, body: #"{"reason":"Shutdown"}"#)]
        }
        #expect(outcome.summary == "accepted")
        #expect(requests.map(\.connection) == [1, 2])
    }

    @Test func `when retry-after lies past the deadline, the rejection comes at once and says so`() async throws {
        let begun = ContinuousClock.now
        let (outcome, requests) = try await outcome(first: .max, timeout: .seconds(3600)) {
            [.answer($0.streamID, 503, headers: ["retry-after": "7200"])]
        }
        guard case .rejected(let rejection) = outcome else {
            Issue.record("\(outcome.summary)")
            return
        }
        #expect(!rejection.isFinal)
        #expect(try #require(rejection.againAfter) >= .seconds(7200))
        #expect(requests.count == 1)
        #expect(ContinuousClock.now - begun < .seconds(3600))
    }

    /// The length of the pause is in the rejection, so no clock is needed.
    @Test(arguments: ["soon", "-3600", "1.5"])
    func `a retry-after that cannot be read does not make the client's own pause longer`(text: String) async throws {
        let (outcome, requests) = try await outcome(first: .max, .never) {
            [.answer($0.streamID, 503, headers: ["retry-after": text])]
        }
        guard case .rejected(let rejection) = outcome else {
            Issue.record("\(outcome.summary)")
            return
        }
        #expect(rejection.retryAfter == text)
        let pause = try #require(rejection.againAfter)
        #expect(pause >= .zero && pause <= PushConfiguration.RetryPolicy.never.firstPause, "\(pause)")
        #expect(requests.count == 1)
    }

    @Test func `a retry does not go past the notification's expiration`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { [.answer($0.streamID, 429, headers: ["retry-after": "300"])] }))
        let client = try PushClient.sample(to: server) { $0.retry = .quick }
        let expires = Int(Date().timeIntervalSince1970) + 200
        let outcome = try await client.outcome(
            of: .sample { $0.expiration = .until(secondsSince1970: expires) }, timeout: .seconds(3600))
        #expect(outcome.summary == "rejected 429 -")
    }

    @Test func `a final rejection is reported after one attempt`() async throws {
        let (outcome, requests) = try await outcome(first: .max) {
            [.answer($0.streamID, 410, body: #"{"reason":"Unregistered"}"#)]
        }
        #expect(outcome.summary == "rejected 410 Unregistered")
        #expect(requests.count == 1)
    }

    @Test(arguments: [false, true])
    func `what is unknown is sent again only when at least once is asked for`(atLeastOnce: Bool) async throws {
        var policy = PushConfiguration.RetryPolicy.quick
        policy.guarantee = atLeastOnce ? .atLeastOnce : .atMostOnce
        for steps: @Sendable (ServedRequest) -> [ServerStep] in [
            { [.reset($0.streamID, .internalError)] }, { _ in [.abort] },
        ] {
            let (outcome, requests) = try await outcome(policy, steps)
            #expect(atLeastOnce ? outcome.summary == "accepted" : outcome.summary.hasPrefix("unknown"))
            #expect(requests.count == (atLeastOnce ? 2 : 1))
            #expect(Set(requests.map(\.apnsID)).count == 1)
        }
    }

    @Test func `unknown once, it stays unknown when it cannot be sent again`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                request.number == 1
                    ? [.reset(request.streamID, .internalError), .announce(.streams(0))] : []
            }))
        let client = try PushClient.sample(to: server) {
            $0.retry = .quick
            $0.retry.guarantee = .atLeastOnce
        }
        let outcome = try await client.outcome(of: .sample(), timeout: .seconds(20))
        #expect(outcome.summary == "unknown: stream_reset, wait")
    }

    // MARK: Leaving while it rests

    @Test func `cancelled during a pause, the last answer is reported at once`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { [.answer($0.streamID, 503, headers: ["retry-after": "1000"])] }))
        let client = try PushClient.sample(to: server) { $0.retry = .standard }
        let sending = try await client.start(.sample(), timeout: .seconds(3600))
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await connection.settle()
        sending.cancel()
        #expect(try await sending.summary == "rejected 503 -")
        await client.shutdown(drainTime: .seconds(3600))
    }

    @Test func `a shutdown ends those that rest when its time is over`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { [.answer($0.streamID, 503, headers: ["retry-after": "1000"])] }))
        let client = try PushClient.sample(to: server) { $0.retry = .standard }
        let sending = try await client.start(.sample(), timeout: .seconds(3600))
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await connection.settle()
        await client.shutdown(drainTime: .milliseconds(50))
        #expect(try await sending.summary == "rejected 503 -")
    }

    // MARK: Expiration

    @Test func `an expiration that has passed is not sent`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        let late = try await client.outcome(of: .sample { $0.expiration = .until(secondsSince1970: 1_000_000) })
        #expect(late.summary.hasPrefix("not sent: expired"))
        #expect(try await client.outcome(of: .sample { $0.expiration = .once }).summary == "accepted")
    }

    @Test func `an expiration that passes in the queue is not sent`() async throws {
        let server = try await ScriptedServer.start()
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        let held = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        let sending = try await time.whileStopped {
            let soon = Int(Date().timeIntervalSince1970) + 2
            return try await client.start(.sample { $0.expiration = .until(secondsSince1970: soon) })
        }
        let late = try await sending.value
        #expect(late.summary == "not sent: expired, queue")
        #expect(late.sentence == "its expiration passed while it was in the queue: no stream was free.")
        try await connection.answerOpen(200)
        #expect(try await held.summary == "accepted")
    }
}

extension PushConfiguration.RetryPolicy {
    /// The standard one without its patience.
    static let quick: PushConfiguration.RetryPolicy = {
        var policy = PushConfiguration.RetryPolicy.standard
        policy.firstPause = .milliseconds(5)
        policy.longestPause = .milliseconds(20)
        return policy
    }()
}
