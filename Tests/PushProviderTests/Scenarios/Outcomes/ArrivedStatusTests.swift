import Foundation
import MockAPNs
import NIOConcurrencyHelpers
import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// The status of an answer has come, and this side gives the stream up before the answer ends.
@Suite(.timeLimit(.minutes(10))) struct ArrivedStatusTests {
    private static let unregistered = #"{"reason":"Unregistered","timestamp":1454948015250}"#

    // MARK: At the mock

    /// Answers the second request with 200 and the third with 410, and never ends either answer.
    private func mockThatNeverEnds() async throws -> MockServer {
        let mock = try await MockServer.start(credentials: .ofThisProcess)
        for (request, status, body) in [(2, 200, ""), (3, 410, Self.unregistered)] {
            let answer = MockFault.Answer(status: status) {
                $0.body = .text(body)
                $0.ends = false
            }
            // The client acknowledges the PING after it has read the answer.
            let ping = MockFault.Frame(.ping, payload: .bytes(Array(repeating: 0, count: 8)))
            try mock.inject(
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .exactly(request), connection: 1),
                    steps: [.answer(answer), .frame(ping)]))
        }
        return mock
    }

    private func startTwo(_ client: PushClient, timeout: Duration? = nil) async throws -> [Sending] {
        try await client.send(.sample())
        return try await client.start(2, timeout: timeout)
    }

    private func expectBoth(_ sendings: [Sending], _ mock: MockServer) async throws {
        #expect(try await sendings.summaries == ["accepted", "rejected 410 Unregistered"])
        if case .rejected(let rejection) = try await sendings[1].value {
            #expect(rejection.timestampMilliseconds == 1_454_948_015_250)
            #expect(rejection.body == Array(Self.unregistered.utf8))
        }
        if case .accepted(let acceptance) = try await sendings[0].value {
            let arrival = try await mock.arrival(2, within: .seconds(120))
            #expect(acceptance.apnsID == arrival.request.id)
        }
    }

    @Test func `it counts when the deadline comes`() async throws {
        let mock = try await mockThatNeverEnds()
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: mock.port), time: time)
        let sendings = try await time.whileStopped {
            let sendings = try await startTwo(client, timeout: .seconds(5))
            _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.framesReceived[.ping] == 2 }
            return sendings
        }
        try await expectBoth(sendings, mock)
        let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.resetCount == 2 }
        #expect(record.resetsReceived.map(\.code) == [.cancel, .cancel])
        await mock.stop()
    }

    @Test func `it counts when the task is cancelled`() async throws {
        let mock = try await mockThatNeverEnds()
        let client = try PushClient.sample(to: mock)
        let sendings = try await startTwo(client)
        _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.framesReceived[.ping] == 2 }
        for sending in sendings { sending.cancel() }
        try await expectBoth(sendings, mock)
        await mock.stop()
    }

    @Test func `it counts when the drain time of a shutdown is over`() async throws {
        let mock = try await mockThatNeverEnds()
        let client = try PushClient.sample(to: mock)
        let sendings = try await startTwo(client)
        _ = try await mock.connectionRecord(1, within: .seconds(120)) { $0.framesReceived[.ping] == 2 }
        #expect(await client.shutdown(drainTime: .zero) == PushClient.ShutdownReport(notSent: 0, unknown: 0))
        try await expectBoth(sendings, mock)
        await mock.stop()
    }

    // MARK: What is an answer

    /// Starts one send, has the server begin its answer with these frames, and cancels the send when the client has read them.
    private func cancelled(
        _ adjust: (inout PushConfiguration) throws -> Void = { _ in }, behind frames: (Int32) -> [ServerStep]
    ) async throws -> PushOutcome {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server, adjust)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        let streamID = try await connection.request(1).streamID
        for step in frames(streamID) { try await connection.perform(step) }
        try await connection.settle()
        sending.cancel()
        let outcome = try await sending.value
        try await connection.record.wait(for: "RST_STREAM") { $0.resets == [streamID: .cancel] }
        #expect(connection.record.value.requests.count == 1)
        return outcome
    }

    @Test func `an interim status is none`() async throws {
        let outcome = try await cancelled {
            [
                .frame(Frame.status(100, on: $0)),
                .frame(Frame.status(103, on: $0)),
            ]
        }
        #expect(outcome.summary == "unknown: cancelled, wait")
    }

    @Test func `half a body is kept, and its reason is not guessed`() async throws {
        let outcome = try await cancelled {
            [
                .frame(Frame.status(410, on: $0)),
                .frame(Frame.data(#"{"reason":"Unreg"#, on: $0)),
            ]
        }
        #expect(outcome.summary == "rejected 410 -")
        guard case .rejected(let rejection) = outcome else { return }
        #expect(rejection.body == Array(#"{"reason":"Unreg"#.utf8))
        #expect(rejection.isFinal)
        #expect(rejection.tokenStatus == .unclear)
    }

    @Test func `a temporary rejection is reported, and a cancelled notification is not sent again`() async throws {
        let outcome = try await cancelled({
            $0.retry = .standard
            $0.retry.guarantee = .atLeastOnce
        }) { [.frame(Frame.status(503, on: $0))] }
        #expect(outcome.summary == "rejected 503 -")
        guard case .rejected(let rejection) = outcome else { return }
        #expect(rejection.againAfter != nil)
    }

    // MARK: What it says about more than one notification

    @Test func `deadlines behind a status are not the connection's fault`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                request.number < 5
                    ? [.frame(Frame.status(200, on: request.streamID))]
                    : [.answer(request.streamID, 200)]
            }))
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        let first = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await connection.settle()
        first.cancel()
        #expect(try await first.summary == "accepted")
        let sendings = try await time.whileStopped {
            let sendings = try await client.start(3, timeout: .seconds(5))
            _ = try await connection.request(4)
            try await connection.settle()
            return sendings
        }
        #expect(try await sendings.summaries == ["accepted", "accepted", "accepted"])
        #expect(try await client.outcome(of: .sample()).connection == 1)
        #expect(connection.record.value.pings == 0)
    }

    @Test func `a provider token that is too old is replaced for the next notification`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                request.connection > 1
                    ? [.answer(request.streamID, 200)]
                    : [
                        .frame(Frame.status(403, on: request.streamID)),
                        .frame(
                            Frame.data(#"{"reason":"ExpiredProviderToken"}"#, on: request.streamID)),
                    ]
            }))
        // The regular token is 15 minutes old: a younger one needs another connection, and none becomes due while the test runs.
        let now = Int(Date().timeIntervalSince1970)
        let sinceStep = (now - ProviderTokenGrid.shift) % ProviderTokenGrid.step
        let client = try PushClient.sample(
            .local(port: server.port), key: MockCredentials.inMemory().providerKey,
            wallClockOffset: NIOLockedValueBox(300 - sinceStep)
        ) { $0.retry = .standard }
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        let first = try await connection.request(1)
        try await connection.settle()
        sending.cancel()
        #expect(try await sending.summary == "rejected 403 ExpiredProviderToken")
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        let second = try await server.connection(2).request(1)
        #expect(first.fields["authorization"] != second.fields["authorization"])
    }
}
