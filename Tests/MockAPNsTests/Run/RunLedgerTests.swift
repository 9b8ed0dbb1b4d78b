import PushProvider
import Testing

@testable import MockAPNs

/// What the ledger of a run has at the end of its mocks.
@Suite(.timeLimit(.minutes(10))) struct RunLedgerTests {
    @Test func `requests are handed on as they are logged, with their namespace, and a reset takes none back`()
        async throws
    {
        let (recorded, recording) = AsyncStream.makeStream(of: String.self)
        let ledger = RunLedger { arrivals, namespace in
            for arrival in arrivals { recording.yield("\(namespace ?? "-") \(arrival.number) \(arrival.deviceToken)") }
        }
        try await MockServer.withFaults(adjust: { $0.ledger = ledger }) { main in
            try await MockServer.withFaults(adjust: {
                $0.ledger = ledger
                $0.namespace = "team-a"
                $0.logCount = 1
            }) { other in
                _ = try await main.withClient { try await $0.send(.sample("aa")) }
                try await other.withClient { client in
                    try await client.send(.sample("bb"))
                    try await client.send(.sample("cc"))
                }
                other.reset()
            }
            _ = try await main.withClient { try await $0.send(.sample("dd")) }
        }
        recording.finish()
        #expect(
            await recorded.reduce(into: []) { $0.append($1) } == ["- 1 aa", "team-a 1 bb", "team-a 2 cc", "- 2 dd"])
        let unmatched = ledger.unmatched.map { "\($0.namespace ?? "-") \($0.content.number)" }
        #expect(unmatched == ["team-a 1", "team-a 2", "- 1", "- 2"])
    }

    @Test func `expectations keep their namespace`() async throws {
        let ledger = RunLedger()
        try await MockServer.withFaults(adjust: {
            $0.ledger = ledger
            $0.namespace = "team-b"
        }) { mock in
            let none = MockArrivalExpectation(.exactly(1), of: try MockArrivalSearch("title:Nobody"))
            _ = await mock.check(none, within: .zero)
        }
        #expect(ledger.expectations.map(\.namespace) == ["team-b"])
        #expect(ledger.expectations.map(\.content.holds) == [false])
    }
}
