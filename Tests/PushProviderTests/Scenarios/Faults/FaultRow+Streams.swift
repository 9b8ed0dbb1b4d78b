import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// What the server does to single streams in place of an answer, or besides it.
    static let streams: [FaultRow] = [
        FaultRow(
            number: "31", words: "REFUSED_STREAM once", kind: .returned,
            arrangement: .mock([MockFault(steps: [.resetStream(.refusedStream)], times: 1)]), maximumConnections: 1,
            also: { _, outcomes in #expect(outcomes.map(\.trace.attempts) == [2, 1, 1, 1, 1, 1]) }),
        FaultRow(
            number: "31a", words: "REFUSED_STREAM for ever", kind: .returned,
            arrangement: .mock([MockFault(steps: [.resetStream(.refusedStream)])]), pushes: 3,
            configure: { $0.retry.attempts = 6 }, maximumConnections: 18, expected: .all("not sent: refused, wait"),
            also: { trial, outcomes in
                #expect(outcomes.allSatisfy { $0.trace.attempts == 6 })
                #expect(trial.stage.log.count == 18)
            }),
        reset("32", .cancel, [.judge, .resetStream(.cancel)]),
        reset("32a", .internalError, [.judge, .resetStream(.internalError)]),
        reset("32b", .internalError, [.resetStream(.internalError)]),
        FaultRow(
            number: "33", words: "RST after the status, before the end", kind: .harmless,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 2),
                    steps: [.resetStream(.internalError, afterHeaders: true)])
            ]), maximumConnections: 1),
        FaultRow(
            number: "34", words: "RST NO_ERROR after a full response", kind: .harmless,
            arrangement: .script {
                ServerScript(onRequest: {
                    [.answer($0.streamID, 200), .frame(Frame.reset($0.streamID, code: 0))]
                })
            }, maximumConnections: 1),
        FaultRow(
            number: "35", words: "RST ENHANCE_YOUR_CALM", kind: .unknown, arrangement: .script { ServerScript() },
            maximumConnections: 1, expected: .counts(["accepted": 16, "unknown: stream_reset, wait": 1]),
            play: askForCalm),
        resetInBody("36", "RST when the headers were sent and nothing of the body", window: 0),
        resetInBody("36a", "RST with the body half sent", window: 10),
    ]

    private static func reset(_ number: String, _ code: MockHTTP2Code, _ steps: [MockFault.Step]) -> FaultRow {
        FaultRow(
            number: number, words: "RST \(code) before headers", kind: .unknown,
            arrangement: .mock([MockFault(when: MockFault.Matcher(requestOnConnection: 2), steps: steps, times: 1)]),
            maximumConnections: 1, expected: .counts(["accepted": 5, "unknown: stream_reset, wait": 1]))
    }

    /// Of eight streams one is reset: four may be open from then on, and after four answers five.
    private static let askForCalm: @Sendable (FaultTrial) async throws -> Void = { trial in
        let connection = try await trial.authenticateAtScript()
        try await trial.start(8)
        try await connection.perform(.reset(try await connection.request(9).streamID, .enhanceYourCalm))
        try await connection.settle()
        try await trial.start(8)
        for (answers, stillOpen) in [(0, 7), (1, 6), (2, 4), (1, 5)] {
            try await connection.answerOpen(200, maximum: answers)
            try await connection.settle()
            #expect(connection.record.value.open.count == stillOpen)
        }
        try await trial.stage.heal()
        try await connection.answerOpen(200)
    }

    /// The window lets so much of a long body go at a time.
    private static func resetInBody(_ number: String, _ words: String, window: UInt32) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .unknown,
            arrangement: .script {
                ServerScript(
                    settings: HTTP2Settings(maxConcurrentStreams: 1000, initialWindowSize: window),
                    onRequest: { $0.streamID == 1 ? [] : [.answer($0.streamID, 200)] })
            }, maximumConnections: 1, expected: .counts(["accepted": 1, "unknown: stream_reset, wait": 1]),
            play: { trial in
                try await trial.start(1, payload: .alert(body: String(repeating: "x", count: 4000)))
                let connection = try await trial.stage.scripted.connection(1)
                try await connection.record.wait(for: "the headers") { $0.opened == [1] }
                try await connection.perform(
                    .reset(1, .cancel), .announce(HTTP2Settings(maxConcurrentStreams: 1000, initialWindowSize: 65_535)))
                try await trial.start(1)
            },
            also: { trial, _ in
                let requests = try trial.stage.scripted.connections[0].record.value.requests
                if window == 0 { #expect(!requests.contains { $0.streamID == 1 }) }
            })
    }
}

extension FaultTrial {
    /// Has one push accepted on the first connection, without a word from the script.
    func authenticateAtScript() async throws -> ServedConnection {
        let sending = try await start(1)[0]
        let connection = try await stage.scripted.connection(1)
        try await connection.perform(.answer(try await connection.request(1).streamID, 200))
        _ = try await sending.value.get()
        return connection
    }
}
