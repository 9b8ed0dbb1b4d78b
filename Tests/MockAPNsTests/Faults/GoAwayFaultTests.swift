import MockAPNs
import PushProvider
import PushWire
import TestSupport
import Testing

/// GOAWAY in all its shapes, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct GoAwayFaultTests {
    /// A client that has opened three streams, the third of which meets the fault.
    private static func withThreeStreams(
        othersWait wait: Duration = .milliseconds(100), _ steps: [MockFault.Step],
        _ body: (MockServer, WireClient) async throws -> Void
    ) async throws {
        let first = MockFault(when: MockFault.Matcher(request: .within(1...2)), steps: [.wait(wait)])
        let third = MockFault(name: "third", when: MockFault.Matcher(request: 3), steps: steps)
        try await MockServer.withFaults(first, third, adjust: { $0.variants.streamsBeforeAuthentication = 100 }) {
            mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            for _ in 1...3 { try await client.open() }
            try await body(mock, client)
            await client.close()
        }
    }

    @Test func `at the newest stream all finish`() async throws {
        try await Self.withThreeStreams([.goAway(.newest, reason: .shutdown)]) { mock, client in
            let seen = try await client.wait { $0.ends.count == 3 && !$0.goAways.isEmpty }
            #expect(seen.goAways.map(\.lastStreamID) == [5])
            #expect(seen.goAways.map { String(decoding: $0.debugData, as: UTF8.self) } == [#"{"reason":"Shutdown"}"#])
            #expect(seen.ends.allSatisfy { $0.cause == .answered && $0.response.status == 200 })
            let sent = mock.connectionRecords[0].goAwaysSent
            #expect(sent.map(\.lastStreamID) == [5])
            #expect(sent.map(\.text) == [#"{"reason":"Shutdown"}"#])
        }
    }

    @Test func `below its stream the request is not processed, and the others are`() async throws {
        try await Self.withThreeStreams([.goAway(.below, code: .enhanceYourCalm)]) { mock, client in
            let seen = try await client.wait { $0.ends.count == 3 }
            #expect(seen.goAways.map(\.lastStreamID) == [3])
            #expect(seen.goAways.map(\.errorCode) == [11])
            let causes = Dictionary(uniqueKeysWithValues: seen.ends.map { ($0.streamID, $0.cause) })
            #expect(causes == [1: .answered, 3: .answered, 5: .unprocessed])
            let unjudged = mock.arrivals.filter { $0.verdict.status == 0 }
            #expect(unjudged.map(\.streamID) == [5])
        }
    }

    @Test func `none at all leaves nothing processed`() async throws {
        try await Self.withThreeStreams(othersWait: .seconds(3600), [.goAway(.none)]) { mock, client in
            let seen = try await client.wait { $0.ends.count == 3 }
            #expect(seen.ends.allSatisfy { $0.cause == .unprocessed })
            #expect(mock.arrivals.allSatisfy { $0.verdict.status == 0 && !$0.wasAnswered })
        }
    }

    @Test func `streams that it ends are not held against the client`() async throws {
        let third = MockFault(when: MockFault.Matcher(request: 3), steps: [.goAway(.none)])
        try await MockServer.withFaults(third) {
            $0.variants.streamsBeforeAuthentication = 100
            $0.limits.resetsAtOnce = 1
            $0.limits.resetsPerSecond = 1
        } body: { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.openTogether(20)
            try await client.wait { $0.ends.count == 20 }
            let record = try await mock.connectionRecord(1, within: .seconds(120)) { $0.end != nil }
            #expect(record.end?.how == "the mock sent GOAWAY and no stream is open")
            #expect(record.goAwaysSent.map(\.code) == [.noError])
            await client.close()
        }
    }

    @Test func `answers that were given are sent before the GOAWAY, whatever stream it names`() async throws {
        let third = MockFault(when: MockFault.Matcher(request: 3), steps: [.goAway(.none)])
        try await MockServer.withFaults(third, adjust: { $0.variants.streamsBeforeAuthentication = 100 }) { mock in
            let client = try await WireClient.connect(to: mock)
            try await client.wait { !$0.settings.isEmpty }
            try await client.openTogether(4)
            let seen = try await client.wait { $0.ends.count == 4 }
            let causes = Dictionary(uniqueKeysWithValues: seen.ends.map { ($0.streamID, $0.cause) })
            #expect(causes == [1: .answered, 3: .answered, 5: .unprocessed, 7: .unprocessed])
            #expect(mock.arrivals.filter { $0.verdict.status == 200 }.map(\.streamID) == [1, 3])
            await client.close()
        }
    }

    @Test func `in two steps`() async throws {
        let steps: [MockFault.Step] = [.goAway(.highest), .wait(.milliseconds(20)), .goAway(.this)]
        try await Self.withThreeStreams(steps) { _, client in
            let seen = try await client.wait { $0.ends.count == 3 }
            #expect(seen.goAways.map(\.lastStreamID) == [.max, 5])
            #expect(seen.ends.allSatisfy { $0.cause == .answered })
        }
    }

    @Test func `a second one that takes back the first is not sent`() async throws {
        try await Self.withThreeStreams([.goAway(.id(3)), .goAway(.highest)]) { mock, client in
            let seen = try await client.wait { $0.ends.count == 3 }
            #expect(seen.goAways.map(\.lastStreamID) == [3])
            #expect(mock.connectionRecords[0].goAwaysSent.map(\.lastStreamID) == [3])
        }
    }

    @Test func `and then the connection ends`() async throws {
        let steps: [MockFault.Step] = [.goAway(.newest), .closeConnection(.tlsClosed)]
        try await Self.withThreeStreams(othersWait: .seconds(3600), steps) { mock, client in
            let seen = try await client.wait { $0.closing != nil }
            #expect(seen.goAways.map(\.lastStreamID) == [5])
            #expect(seen.ends.isEmpty)
            #expect(mock.arrivals.count == 3)
            #expect(mock.arrivals.allSatisfy { !$0.wasAnswered })
        }
    }

    @Test func `our client sends again on a new connection what the first did not process`() async throws {
        let fault = MockFault(
            when: MockFault.Matcher(connection: 1, match: 2), steps: [.goAway(.this, reason: .shutdown)])
        try await MockServer.withFaults(fault) { mock in
            try await mock.withClient { client in
                for _ in 1...4 { try await client.send(.sample()) }
            }
            #expect(mock.arrivals.map(\.connection) == [1, 1, 2, 2])
            #expect(mock.connectionRecords[0].goAwaysSent.map(\.lastStreamID) == [3])
        }
    }
}
