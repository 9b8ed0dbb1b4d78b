import MockAPNs
import PushProvider
import TestSupport
import Testing

/// Faults by chance over real sockets: what the client says of each push agrees with the mock's log.
@Suite(.timeLimit(.minutes(10))) struct ReconciliationTests {
    private static let faults: [(MockFault.Matcher, [MockFault.Step])] = [
        (MockFault.Matcher(probability: 0.1), [.answer(status: 400, reason: .badTopic)]),
        (MockFault.Matcher(probability: 0.1), [.resetStream(.refusedStream)]),
        (MockFault.Matcher(probability: 0.1), [.judge, .resetStream(.internalError)]),
        (MockFault.Matcher(probability: 0.1), [.wait(.zero, upTo: .milliseconds(20)), .resetStream(.cancel)]),
        (MockFault.Matcher(probability: 0.1), [.resetStream(.cancel, afterHeaders: true)]),
        (MockFault.Matcher(probability: 0.2), [.wait(.zero, upTo: .milliseconds(20))]),
        (MockFault.Matcher(probability: 0.1), [.goAway(.below)]),
        (MockFault.Matcher(probability: 0.1), [.goAway(.newest)]),
    ]

    @Test(arguments: [1, 2] as [UInt64])
    func `each outcome agrees with the log`(seed: UInt64) async throws {
        try await MockServer.withFaults(adjust: { $0.seed = seed }) { mock in
            for (when, steps) in Self.faults { try mock.inject(MockFault(when: when, steps: steps)) }
            let tokens = (0..<400).map { "abcd" + String(10_000 + $0) + "0" }
            let outcomes = try await mock.withClient { client in
                var outcomes: [String: PushOutcome] = [:]
                // Ten at a time: a GOAWAY that declares one unprocessed declares all after it so.
                for start in stride(from: 0, to: tokens.count, by: 10) {
                    try await withThrowingTaskGroup(of: (String, PushOutcome).self) { group in
                        for token in tokens[start..<(start + 10)] {
                            group.addTask { (token, try await client.outcome(of: .sample(token))) }
                        }
                        for try await (token, outcome) in group { outcomes[token] = outcome }
                    }
                }
                return outcomes
            }
            let log = Dictionary(grouping: mock.arrivals, by: \.deviceToken)
            var counts: [String: Int] = [:]
            for token in tokens {
                let outcome = try #require(outcomes[token])
                let arrivals = log[token] ?? []
                counts[String(outcome.summary.prefix(8)), default: 0] += 1
                #expect(Self.agrees(outcome, arrivals), "\(outcome.summary): \(arrivals.map(\.verdict.status))")
            }
            #expect(counts.keys.sorted().contains("accepted"))
            #expect(counts.keys.sorted().contains("rejected"))
            #expect(counts.keys.sorted().contains("unknown:"))
            #expect(mock.faultCounts.allSatisfy { $0.applied > 0 })
        }
    }

    private static func agrees(_ outcome: PushOutcome, _ arrivals: [MockArrival]) -> Bool {
        switch outcome {
        case .accepted: arrivals.contains { $0.wasAnswered && $0.verdict.status == 200 }
        case .rejected(let rejection):
            arrivals.contains {
                $0.wasAnswered && $0.verdict.status == rejection.status && $0.verdict.reason == rejection.reason
            }
        case .notSent, .invalid: arrivals.allSatisfy { $0.verdict.status == 0 && !$0.wasAnswered }
        case .unknown: arrivals.contains { $0.fault != nil && !$0.wasAnswered }
        }
    }
}
