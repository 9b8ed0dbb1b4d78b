import PushProvider
import PushWire
import TestSupport
import Testing

@testable import MockAPNs

/// One port, several mocks: the key id of a provider token chooses one.
@Suite(.timeLimit(.minutes(10))) struct KeyRouteTests {
    private static let keyID = "TEAMAKEY01"

    /// A mock, another one for the key id, and a provider token with it.
    private static func with(
        _ fault: MockFault?, _ body: (MockServer, MockServer, String) async throws -> Void
    ) async throws {
        let home = try await MockServer.start(credentials: .ofThisProcess)
        let other = try await MockServer.start(credentials: .ofThisProcess)
        #expect(home.route(keyIDs: [keyID], to: other))
        if let fault { try other.inject(fault) }
        let made = home.credentials
        let key = try PushProviderKey(p8: made.p8.utf8, keyID: keyID, teamID: made.teamID)
        do {
            try await body(home, other, try key.providerToken())
        } catch {
            await home.stop()
            await other.stop()
            throw error
        }
        await home.stop()
        await other.stop()
    }

    @Test func `a delayed request is logged where it belongs, also when the connection ends elsewhere`() async throws {
        try await Self.with(MockFault(steps: [.wait(.seconds(600))])) { home, other, token in
            let client = try await WireClient.connect(to: home)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            try await client.wait { $0.ends.count == 1 }
            try await client.open(as: token)
            _ = try await other.connectionRecord(1, within: .seconds(120)) { $0.streamCount > 0 }
            try await client.open()
            try await client.wait { $0.ends.count == 2 }
            await client.close()
            let delayed = try await other.arrival(1, within: .seconds(120))
            #expect(!delayed.wasAnswered && delayed.connection == 1)
            #expect(home.arrivals.map(\.wasAnswered) == [true, true])
            #expect(other.arrivalCount == 1)
        }
    }

    @Test func `a reset of a delayed request and a new one, read together, go to their mocks`() async throws {
        try await Self.with(MockFault(steps: [.wait(.seconds(600))], times: 1)) { home, other, token in
            let client = try await WireClient.connect(to: home)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            try await client.wait { $0.ends.count == 1 }
            let delayed = try #require(try await client.open(as: token))
            _ = try await other.connectionRecord(1, within: .seconds(120)) { $0.streamCount > 0 }
            try await client.open()
            try await client.wait { $0.ends.count == 2 }
            try await client.reset(delayed, .cancel)
            try await client.open(as: token)
            try await client.wait { $0.ends.count == 4 }
            #expect(home.arrivals.map(\.verdict.status) == [200, 200])
            let statuses = other.arrivals.map(\.verdict.status)
            #expect(statuses.last == 200 && other.arrivalCount == 2, "\(statuses)")
            await client.close()
        }
    }

    /// If the machine is slow, the answer comes before the end of the other mock.
    @Test func `the end of a mock ends a delayed request, and not the connection that has left it`() async throws {
        try await Self.with(MockFault(steps: [.wait(.seconds(2))])) { home, other, token in
            let client = try await WireClient.connect(to: home)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open()
            try await client.wait { $0.ends.count == 1 }
            try await client.open(as: token)
            _ = try await other.connectionRecord(1, within: .seconds(120)) { $0.streamCount > 0 }
            try await client.open()
            try await client.wait { $0.ends.count == 2 }
            home.endRoutes(to: other)
            await other.stop()
            try await client.wait { $0.ends.count == 3 }
            try await client.open()
            let seen = try await client.wait { $0.ends.count == 4 }
            #expect(seen.ends.last?.response.status == 200 && seen.goAways.isEmpty)
            await client.close()
        }
    }

    @Test func `a connection forgets a mock that has stopped`() async throws {
        try await Self.with(nil) { home, other, _ in
            var known = KnownNamespaces()
            let knowledge = RequestJudge.Knowledge(ConnectionFacts(number: 1))
            known.leave(ConnectionPlace(state: other.state, number: 1), knowledge)
            await other.stop()
            known.leave(ConnectionPlace(state: home.state, number: 1), knowledge)
            #expect(known.place(in: other.state) == nil && known.place(in: home.state) != nil)
        }
    }

    @Test func `a connection that comes back keeps its number, and counts for the limit of its port`() async throws {
        try await Self.with(nil) { home, other, token in
            let client = try await WireClient.connect(to: home)
            try await client.wait { !$0.settings.isEmpty }
            for round in 1...3 {
                try await client.open()
                try await client.wait { $0.ends.count == 2 * round - 1 }
                try await client.open(as: token)
                try await client.wait { $0.ends.count == 2 * round }
            }
            #expect(home.connectionCount == 1 && other.connectionCount == 1)
            #expect(Set(home.arrivals.map(\.connection)) == [1] && Set(other.arrivals.map(\.connection)) == [1])
            #expect(home.arrivalCount == 3 && other.arrivalCount == 3)
            #expect((home.arrivals + other.arrivals).flatMap(\.violations).isEmpty)
            #expect(home.state.connections.count == 1)
            await client.close()
        }
    }

    @Test func `a fault at the headers of a namespace acts on the first request`() async throws {
        let fault = MockFault(
            at: .requestHeaders, steps: [.answer(status: 503, reason: .serviceUnavailable)], times: 1)
        try await Self.with(fault) { home, other, token in
            let client = try await WireClient.connect(to: home)
            try await client.wait { !$0.settings.isEmpty }
            try await client.open(as: token)
            try await client.wait { $0.ends.count == 1 }
            let arrival = try await other.arrival(1, within: .seconds(120))
            #expect(arrival.verdict.status == 503 && arrival.sender.keyID == Self.keyID)
            #expect(home.arrivalCount == 0)
            await client.close()
        }
    }
}
