import MockAPNs
import Testing

@testable import PushProvider

extension FaultRow {
    /// How many streams the server allows.
    static let settings: [FaultRow] = [
        FaultRow(
            number: "19", words: "MAX_CONCURRENT_STREAMS 1", kind: .harmless,
            arrangement: .mock([MockFault(at: .connectionEstablished, steps: [.settings(maxConcurrentStreams: 1)])]),
            pushes: 20, maximumConnections: 1,
            also: { trial, outcomes in
                try #expect(trial.records[0].maximumOpenStreams == 1)
                #expect(outcomes.allSatisfy { $0.trace.attempts == 1 })
            }),
        FaultRow(
            number: "19a", words: "MAX_CONCURRENT_STREAMS 1, then 1000", kind: .harmless,
            arrangement: .mock([
                MockFault(at: .connectionEstablished, steps: [.settings(maxConcurrentStreams: 1)]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 5), steps: [.settings(maxConcurrentStreams: 1000)]),
            ]), pushes: 200, maximumConnections: 1,
            also: { trial, outcomes in
                let record = try trial.records[0]
                #expect(record.maximumOpenStreams <= 195)
                #expect(record.streams.allSatisfy { $0.end == .answered })
                #expect(outcomes.allSatisfy { $0.trace.attempts == 1 })
            }),
        FaultRow(
            number: "20", words: "MAX_CONCURRENT_STREAMS 0, then raised", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    at: .connectionEstablished,
                    steps: [
                        .settings(maxConcurrentStreams: 0), .wait(.milliseconds(200)),
                        .settings(maxConcurrentStreams: 10),
                    ])
            ]), pushes: 30, maximumConnections: 1,
            also: { trial, _ in
                try trial.expectNothingOpened(beforeSettings: 1)
                try #expect(trial.records[0].maximumOpenStreams <= 10)
            }),
        FaultRow(
            number: "21", words: "lowered with streams queued and in flight", kind: .harmless,
            arrangement: .mock([
                MockFault(when: MockFault.Matcher(requestOnConnection: 10), steps: [.settings(maxConcurrentStreams: 3)])
            ]) { $0.variants.streamsAfterAuthentication = 20 },
            pushes: 60, maximumConnections: 1),
        FaultRow(
            number: "21a", words: "lowered, and what was opened before is refused", kind: .returned,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 10, connection: 1),
                    steps: [.settings(maxConcurrentStreams: 3), .resetStream(.refusedStream)]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .within(11...20), connection: 1),
                    steps: [.resetStream(.refusedStream)]),
            ]) { $0.variants.streamsAfterAuthentication = 20 },
            pushes: 60, maximumConnections: 6),
    ]
}
