import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Answers that are missing, late or unusual, and streams that are used up.
    static let answers: [FaultRow] = [
        FaultRow(
            number: "37", words: "one stream never answered", kind: .unknown,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(deviceToken: try? DeviceToken(FaultTrial.deviceToken(2))),
                    steps: [.noAnswer]
                )
            ]), maximumConnections: 1, expected: .counts(["accepted": 6, "unknown: deadline, wait": 1]),
            expectedAtLeastOnce: .counts(["accepted": 6, "unknown: deadline, wait": 1]),
            play: { trial in
                try await trial.authenticate()
                try await trial.time.whileStopped {
                    try await trial.start(1, timeout: .seconds(4))
                    try await trial.start(5)
                    _ = try await trial.stage.mock.connectionRecord(1, within: .seconds(120)) { $0.requestCount == 7 }
                }
            },
            also: { trial, _ in
                let record = try await trial.stage.mock.connectionRecord(1, within: .seconds(120)) {
                    $0.resetCount == 1
                }
                #expect(record.resetsReceived.map(\.code) == [.cancel])
            }),
        FaultRow(
            number: "38", words: "the answer comes after our RST", kind: .unknown,
            arrangement: .script { ServerScript() },
            maximumConnections: 1, expected: .counts(["accepted": 2, "unknown: cancelled, wait": 1]),
            expectedAtLeastOnce: .counts(["accepted": 2, "unknown: cancelled, wait": 1]), play: answerTooLate),
        FaultRow(
            number: "39", words: "answers out of order", kind: .harmless, arrangement: .script { ServerScript() },
            maximumConnections: 1,
            play: { trial in
                let connection = try await trial.authenticateAtScript()
                try await trial.start(20)
                _ = try await connection.request(21)
                for streamID in connection.record.value.open.sorted(by: >) {
                    try await connection.perform(.answer(streamID, 200))
                }
            }),
        FaultRow(
            number: "46", words: "stream ids used up", kind: .harmless, arrangement: .mock([]), pushes: 12,
            // Five streams, and the last one has the highest id that there is.
            configure: { $0.firstStreamID = Int32.max - 8 }, maximumConnections: 3,
            also: { trial, outcomes in
                try #expect(trial.records.map(\.streamCount) == [5, 5, 2])
                try #expect(trial.records[0].streams.last?.id == .max)
                #expect(outcomes.map(\.connection) == [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3])
            }),
        redirect("59", 301),
        redirect("59a", 307),
    ]

    private static func redirect(_ number: String, _ status: Int) -> FaultRow {
        FaultRow(
            number: number, words: "redirect by \(status)", kind: .harmless,
            arrangement: .mock([
                MockFault(steps: [.answer(status: status, headers: ["location": "https://127.0.0.1:1/elsewhere"])])
            ]), maximumConnections: 1, expected: .all("rejected \(status) -"),
            also: { trial, _ in #expect(trial.stage.log.count == trial.row.pushes) })
    }

    /// The whole of a late answer is more than the window of the connection: what is thrown away must be given back.
    private static let answerTooLate: @Sendable (FaultTrial) async throws -> Void = { trial in
        let connection = try await trial.authenticateAtScript()
        let given = try await trial.start(1)[0]
        let streamID = try await connection.request(2).streamID
        given.cancel()
        try await connection.record.wait(for: "the client's RST") { $0.resets == [streamID: .cancel] }
        try await connection.perform(.frame(Frame.status(200, on: streamID)))
        let part = Frame.data(String(repeating: "x", count: 16_000), on: streamID)
        for _ in 0..<20 {
            try await connection.perform(.frame(part))
            try await connection.settle()
        }
        try await connection.perform(.frame(Frame.data("", on: streamID, flags: Frame.endStream)))
        try await trial.stage.heal()
        try await trial.start(1)
    }
}
