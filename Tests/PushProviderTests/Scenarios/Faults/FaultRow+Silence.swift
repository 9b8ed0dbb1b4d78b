import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Connections that are there and say nothing, or little.
    static let silence: [FaultRow] = [
        FaultRow(
            number: "69", words: "half-open, packets dropped", kind: .connectionBreaks,
            arrangement: .mock([
                MockFault(when: MockFault.Matcher(requestOnConnection: 3, connection: 1), steps: [.judge, .fallSilent])
            ]),
            configure: {
                $0.trustedSilence = .milliseconds(200)
                $0.keepAlive = .milliseconds(200)
                $0.pingTimeout = .milliseconds(1500)
            },
            // On a slow machine, the answers of the successors to a PING may be late, too.
            maximumConnections: 10, expected: .allBegin(""),
            play: { trial in
                // No PING is sent before the path is cut: its answer could be late.
                try await trial.time.whileStopped {
                    // One after the other: the first two have their answers before the path is cut.
                    for _ in 0..<2 { #expect(try await trial.start(1)[0].summary == "accepted") }
                    try await trial.start(4)
                    _ = try await trial.stage.mock.connectionRecord(1, within: .seconds(120)) { $0.wentSilentAt != nil }
                }
            },
            also: { trial, outcomes in
                guard trial.isAtMostOnce else { return }
                #expect(outcomes[2].summary == "unknown: connection_lost, wait")
                let rest = outcomes.dropFirst(3).map(\.summary)
                #expect(rest.allSatisfy { $0 == "accepted" || $0 == "unknown: connection_lost, wait" }, "\(rest)")
            }),
        FaultRow(
            number: "70", words: "PING unanswered while data flows", kind: .harmless,
            arrangement: .mock([
                MockFault(at: .connectionEstablished, steps: [.withhold([.pingAnswers])]),
                // The data flows for longer than a PING may take, which is longer than any machine takes for one answer.
                MockFault(steps: [.wait(.milliseconds(200))]),
            ]), pushes: 120,
            configure: {
                $0.streamsPerConnection = 1
                $0.trustedSilence = .milliseconds(10)
                $0.keepAlive = .milliseconds(10)
                $0.pingTimeout = .seconds(20)
            }, maximumConnections: 1,
            also: { trial, _ in try #expect(trial.records[0].pingCount > 0) }),
        FaultRow(
            number: "72", words: "server never reads", kind: .connectionBreaks,
            arrangement: .mock([
                MockFault(when: MockFault.Matcher(requestOnConnection: 1, connection: 1), steps: [.stopReading])
            ]), payload: .long, spoilsAnswers: true,
            configure: {
                $0.pingTimeout = .seconds(60)
                $0.streamsPerConnection = 100
            }, maximumConnections: 10, expected: .allBegin(""), expectedAtLeastOnce: .allBegin(""),
            play: { trial in
                try await trial.authenticate()
                try await trial.time.whileStopped {
                    try await trial.start(500, timeout: .seconds(4))
                    try await trial.client.catchUp()
                }
            },
            also: { _, outcomes in checkNeverRead(outcomes) }),
        FaultRow(
            number: "73", words: "answers of a byte at a time", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 2),
                    steps: [.trickle(bytes: 1, every: .milliseconds(1))])
            ]), maximumConnections: 1),
        FaultRow(
            number: "73a", words: "answers of a byte a second", kind: .unknown,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 2), steps: [.trickle(bytes: 1, every: .seconds(1))])
            ]), spoilsAnswers: true, configure: { $0.pingTimeout = .seconds(60) }, maximumConnections: 1,
            expected: .counts(["accepted": 1, "unknown: deadline, wait": 5]),
            expectedAtLeastOnce: .counts(["accepted": 1, "unknown: deadline, wait": 5]), clientSurvives: false,
            play: { trial in
                try await trial.authenticate()
                try await trial.time.whileStopped {
                    try await trial.start(5, timeout: .seconds(3))
                    _ = try await trial.stage.mock.connectionRecord(1, within: .seconds(120)) { $0.requestCount == 6 }
                }
            }),
    ]

    /// What its window could carry has gone out, as far as anybody knows; and who took their place.
    private static func checkNeverRead(_ outcomes: [PushOutcome]) {
        let onFirst = outcomes.dropFirst().filter { $0.connection == 1 }.map(\.summary)
        #expect(onFirst.count { $0.hasPrefix("unknown: deadline") } >= 14, "\(Set(onFirst))")
        #expect(!onFirst.contains("accepted"))
        // What never left says so.
        let elsewhere = outcomes.dropFirst().filter { $0.connection != 1 }.map(\.summary)
        #expect(elsewhere.allSatisfy { $0 == "accepted" || $0.contains(": deadline") }, "\(Set(elsewhere))")
    }
}
