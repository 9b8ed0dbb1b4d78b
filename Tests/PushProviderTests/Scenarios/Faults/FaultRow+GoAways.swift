import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// GOAWAY in all its forms, on the first connection.
    static let goAways: [FaultRow] = [
        goAway("61", "GOAWAY with the highest id", .harmless, [.goAway(.highest)]) { trial, outcomes in
            #expect(outcomes.allSatisfy { $0.trace.attempts == 1 })
        },
        goAway("61a", "GOAWAY with the last id of ours", .harmless, at: 6, [.goAway(.newest)]) { trial, outcomes in
            #expect(outcomes.allSatisfy { $0.trace.attempts == 1 })
            try #expect(trial.records.count == 1)
        },
        goAway("62", "GOAWAY with an id below ours", .returned, [.goAway(.below)]) { _, outcomes in
            #expect(outcomes.map(\.connection) == [1, 1, 2, 2, 2, 2])
            #expect(outcomes.map(\.trace.attempts) == [1, 1, 2, 2, 2, 2])
        },
        goAway(
            "63", "GOAWAY in two steps, the second one at or above ours", .harmless,
            [.goAway(.highest), .wait(.milliseconds(50)), .goAway(.newest, reason: .shutdown)]
        ) { _, outcomes in #expect(outcomes.allSatisfy { $0.trace.attempts == 1 }) },
        FaultRow(
            number: "63a", words: "GOAWAY in two steps, the second one below ours", kind: .returned,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 3, connection: 1),
                    steps: [.goAway(.highest), .wait(.milliseconds(50)), .goAway(.this)]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .within(4...6), connection: 1),
                    steps: [.wait(.seconds(9))]),
            ]),
            also: { _, outcomes in
                #expect(outcomes.map(\.connection) == [1, 1, 1, 2, 2, 2])
                #expect(outcomes.map(\.trace.attempts) == [1, 1, 1, 2, 2, 2])
            }),
        FaultRow(
            number: "64", words: "GOAWAY, then close at once", kind: .connectionBreaks,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .within(2...3), connection: 1),
                    steps: [.judge, .noAnswer]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 4, connection: 1),
                    steps: [.goAway(.id(5)), .closeConnection(.tlsClosed)]),
            ]),
            // Streams 3 and 5 are at or below the last one, 7 to 11 above.
            expected: .counts(["accepted": 4, "unknown: connection_lost, wait": 2]),
            also: { _, outcomes in
                #expect(outcomes[3...].map(\.trace.attempts) == [2, 2, 2])
                #expect(outcomes[3...].map(\.connection) == [2, 2, 2])
            }),
        repeated("65", "with JSON", #"{"reason":"Shutdown"}"#, says: "GOAWAY NO_ERROR, Shutdown"),
        repeated("65a", "with plain text", "max age", says: #"GOAWAY NO_ERROR, "max age""#),
        repeated("65b", "with ENHANCE_YOUR_CALM", "too_many_pings", .enhanceYourCalm, says: "GOAWAY ENHANCE_YOUR_CALM"),
        repeated(
            "65c", "with garbage", "{\"reason\": 7, \u{1B}[31m\u{0}", .init(rawValue: 4711),
            says: "GOAWAY error code 4711"),
        FaultRow(
            number: "66", words: "a last stream id that grows", kind: .connectionBreaks,
            arrangement: .script { ServerScript() },
            expected: .counts(["accepted": 3, "unknown: connection_lost, wait": 1]), play: growLastStream,
            also: { _, outcomes in #expect(outcomes[2...].map(\.connection) == [2, 2]) }),
    ]

    /// A row whose third request, or another one, makes the first connection go away.
    private static func goAway(
        _ number: String, _ words: String, _ kind: Kind, at request: Int = 3, _ steps: [MockFault.Step],
        also: @escaping @Sendable (FaultTrial, [PushOutcome]) async throws -> Void
    ) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: kind,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(
                        requestOnConnection: MockFault.Ordinal(from: request, through: request), connection: 1),
                    steps: steps)
            ]), also: also)
    }

    /// A row whose outcomes repeat what the server has said.
    private static func repeated(
        _ number: String, _ words: String, _ text: String, _ code: MockHTTP2Code = .noError, says sentence: String
    ) -> FaultRow {
        FaultRow(
            number: number, words: "GOAWAY \(words)", kind: .returned,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 3, connection: 1),
                    steps: [.goAway(.below, code: code, text: text)])
            ]),
            // A push after the third could already find the next connection.
            pushes: 3, configure: { $0.retry = .never },
            expected: .counts(["accepted": 2, "not sent: refused, wait": 1]),
            also: { _, outcomes in
                for outcome in outcomes[2...] {
                    #expect(outcome.sentence.contains(sentence))
                    #expect(outcome.sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 })
                }
            })
    }

    /// Of streams 3 to 7 the last two are left out, then taken again: HTTP/2 forbids it, for they may be on their way elsewhere.
    private static let growLastStream: @Sendable (FaultTrial) async throws -> Void = { trial in
        let connection = try await trial.authenticateAtScript()
        try await trial.start(3)
        _ = try await connection.request(4)
        try await trial.stage.heal()
        try await connection.perform(.goAway(lastStreamID: 3), .frame(Frame.goAway(lastStreamID: 7)))
        try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
    }
}
