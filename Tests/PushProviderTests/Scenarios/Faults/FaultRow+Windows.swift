import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Flow control, and settings that nobody expects.
    static let windows: [FaultRow] = [
        FaultRow(
            number: "22", words: "INITIAL_WINDOW 0, then WINDOW_UPDATE", kind: .harmless,
            arrangement: .mock([
                window(0),
                lastStream([.wait(.milliseconds(20)), .openWindow(.this, by: 65_535)]),
                MockFault(at: .requestHeaders, steps: [.wait(.milliseconds(20)), .openWindow(.this, by: 65_535)]),
            ]), maximumConnections: 1),
        FaultRow(
            number: "23", words: "window lowered below what is used", kind: .harmless,
            arrangement: .mock([
                window(2000),
                MockFault(
                    at: .requestHeaders,
                    steps: [
                        .settings(MockFault.Settings(initialWindowSize: 500)), .wait(.milliseconds(100)),
                        .settings(MockFault.Settings(initialWindowSize: 65_535)),
                    ], times: 1),
            ]), payload: .long, maximumConnections: 1),
        FaultRow(
            number: "24", words: "window one byte at a time", kind: .harmless,
            arrangement: .mock([
                window(0), lastStream([byTheByte]), MockFault(at: .requestHeaders, steps: [byTheByte]),
            ]), maximumConnections: 1,
            also: { trial, _ in
                // More than one frame for each body; how many bytes of window come at a time, the machine's speed decides.
                try #expect(trial.records[0].framesReceived[.data] ?? 0 > trial.row.pushes)
            }),
        FaultRow(
            number: "25", words: "connection window exhausted, never updated", kind: .unknown,
            arrangement: .mock([MockFault(at: .connectionEstablished, steps: [.withhold([.windowUpdates])])]),
            payload: .long, configure: { $0.streamsPerConnection = 20 }, expected: .allBegin(""),
            expectedAtLeastOnce: .allBegin(""),
            play: { trial in
                try await trial.time.whileStopped {
                    // What fits has its answers before the deadlines of the others come.
                    for sending in try await trial.start(60, timeout: .seconds(6)).prefix(14) {
                        _ = try await sending.value
                    }
                }
            },
            also: { trial, outcomes in
                let counts = Dictionary(outcomes.map { ($0.summary, 1) }, uniquingKeysWith: +)
                // What fits 65 535 bytes came through, one or two had begun, and the rest never left the queue, but for a few in
                // the place of the first that were late, where the others are later on a slow machine.
                #expect((14...16).contains(counts["accepted", default: 0]), "\(counts)")
                #expect((1...16).contains(outcomes.count { $0.summary.hasPrefix("unknown: deadline") }), "\(counts)")
                #expect(outcomes.count { $0.summary.hasPrefix("not sent: deadline") } >= 28, "\(counts)")
            }),
        FaultRow(
            number: "25a", words: "window of one connection of two exhausted", kind: .unknown,
            arrangement: .mock([
                MockFault(
                    at: .connectionEstablished, when: MockFault.Matcher(connection: 1),
                    steps: [.withhold([.windowUpdates])])
            ]), payload: .long,
            configure: {
                $0.streamsPerConnection = 20
                $0.connections = 2
            }, maximumConnections: 3, expected: .allBegin(""), expectedAtLeastOnce: .allBegin(""),
            play: { try await $0.start(150, timeout: .seconds(20)) },
            also: { trial, outcomes in
                // The other connection goes on with all the rest.
                #expect(outcomes.allSatisfy { $0.summary == "accepted" || $0.connection == 1 })
                #expect(outcomes.count { $0.summary == "accepted" } >= 130)
            }),
        broken(
            "26", "window of the connection overflows",
            [.frame(MockFault.Frame(.windowUpdate, payload: .bytes([0x7F, 0xFF, 0xFF, 0xFF])))]),
        oneUnknown(
            "26a", "window of a stream overflows",
            [.frame(MockFault.Frame(.windowUpdate, on: .this, payload: .bytes([0x7F, 0xFF, 0xFF, 0xFF])))],
            "unknown: malformed_answer, parse"),
        broken(
            "27", "illegal MAX_FRAME_SIZE",
            [.frame(MockFault.Frame(.settings, payload: .bytes([0, 5, 0, 0, 0, 1])))]),
        FaultRow(
            number: "28", words: "tiny MAX_HEADER_LIST_SIZE", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    at: .connectionEstablished,
                    steps: [.settings(MockFault.Settings(maxConcurrentStreams: 1000, maxHeaderListSize: 10))])
            ]), maximumConnections: 1),
        FaultRow(
            number: "28a", words: "tiny MAX_HEADER_LIST_SIZE, and 431", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    at: .connectionEstablished,
                    steps: [.settings(MockFault.Settings(maxConcurrentStreams: 1000, maxHeaderListSize: 10))]),
                MockFault(steps: [.answer(status: 431)]),
            ]), maximumConnections: 1, expected: .all("rejected 431 -"),
            also: { trial, _ in #expect(trial.stage.log.count == trial.row.pushes) }),
        FaultRow(
            number: "29", words: "HEADER_TABLE_SIZE 0", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    at: .connectionEstablished,
                    steps: [.settings(MockFault.Settings(maxConcurrentStreams: 1000, headerTableSize: 0))])
            ]), pushes: 20, maximumConnections: 1),
        FaultRow(
            number: "29a", words: "HEADER_TABLE_SIZE 0 on the way, and back", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .every(3)),
                    steps: [.settings(MockFault.Settings(headerTableSize: 0))]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .every(4)),
                    steps: [.settings(MockFault.Settings(headerTableSize: 4096))]),
            ]), pushes: 40, maximumConnections: 1),
        broken("30", "SETTINGS flood", [.repeated([.frame(MockFault.Frame(.settings))], times: 20_000)]),
        FaultRow(
            number: "30a", words: "SETTINGS never acknowledged", kind: .harmless,
            arrangement: .mock([MockFault(at: .connectionEstablished, steps: [.withhold([.settingsAnswers])])]),
            pushes: 20, maximumConnections: 1),
    ]

    /// The sixth stream, after which windows are as usual.
    private static func lastStream(_ steps: [MockFault.Step]) -> MockFault {
        MockFault(
            at: .requestHeaders, when: MockFault.Matcher(requestOnConnection: 6),
            steps: steps + [.settings(MockFault.Settings(initialWindowSize: 65_535))])
    }

    private static let byTheByte = MockFault.Step.repeated(
        [.openWindow(.this, by: 1), .wait(.milliseconds(1))], times: 100)

    private static func window(_ bytes: UInt32) -> MockFault {
        MockFault(
            at: .connectionEstablished,
            steps: [.settings(MockFault.Settings(maxConcurrentStreams: 1000, initialWindowSize: bytes))])
    }

    /// The third request on the first connection makes the mock break HTTP/2: what has no answer is unknown.
    static func broken(_ number: String, _ words: String, _ steps: [MockFault.Step]) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .connectionBreaks,
            arrangement: .mock([
                MockFault(when: MockFault.Matcher(requestOnConnection: 2, connection: 1), steps: [.judge, .noAnswer]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 3, connection: 1), steps: [.judge, .noAnswer] + steps),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .within(4...6), connection: 1), steps: [.noAnswer]),
            ]), expected: .allBegin(""),
            also: { trial, outcomes in
                guard trial.isAtMostOnce else { return }
                #expect(outcomes[0].summary == "accepted")
                #expect(outcomes[1].summary.hasPrefix("unknown: connection_lost"), "\(outcomes[1].summary)")
                #expect(outcomes[2].summary.hasPrefix("unknown: connection_lost"), "\(outcomes[2].summary)")
                let rest = outcomes.dropFirst(3).map(\.summary)
                #expect(rest.allSatisfy { $0 == "accepted" || $0.hasPrefix("unknown: connection_lost") }, "\(rest)")
            })
    }

    /// The second request of the first connection has no answer that can be used; all others go on.
    static func oneUnknown(
        _ number: String, _ words: String, _ steps: [MockFault.Step],
        _ summary: String = "unknown: malformed_answer, parse"
    ) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .unknown,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 2, connection: 1), steps: [.judge, .noAnswer] + steps)
            ]), maximumConnections: 1, expected: .counts(["accepted": 5, summary: 1]))
    }
}

extension PushPayload {
    /// Almost as long as Apple takes it.
    static let long = PushPayload.alert(body: String(repeating: "x", count: 4000))
}
