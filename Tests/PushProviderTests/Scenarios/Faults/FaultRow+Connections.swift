import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Connections that end.
    static let connections: [FaultRow] = [
        end("67", "close_notify and FIN in mid-flight", .tlsClosed),
        end("67a", "FIN in mid-flight", .tcpClosed),
        end("68", "RST in mid-flight", .tcpReset),
        idleEnd("76", "idle close between two pushes", [.close]),
        idleEnd("76a", "idle FIN between two pushes", [.hangUp]),
        idleEnd("76b", "idle GOAWAY and close between two pushes", [.goAway(lastStreamID: 1), .close]),
        FaultRow(
            number: "77", words: "connections rotated under load", kind: .returned,
            arrangement: .mock([MockFault(when: MockFault.Matcher(requestOnConnection: 20), steps: [.goAway(.newest)])]
            ),
            pushes: 400, maximumConnections: 20),
        FaultRow(
            number: "82", words: "all connections die at once", kind: .connectionBreaks,
            arrangement: .script {
                ServerScript(settings: .streams(3), onRequest: { $0.number == 1 ? [.answer($0.streamID, 200)] : [] })
            }, configure: { $0.connections = 3 }, maximumConnections: 6,
            // Three on each connection; three were accepted before, and what was queued comes through.
            expected: .counts(["accepted": 21, "unknown: connection_lost, wait": 9]), play: killAll),
        FaultRow(
            number: "83", words: "shutdown with streams in flight", kind: .connectionBreaks,
            arrangement: .script { ServerScript() }, maximumConnections: 1,
            expected: .counts(["accepted": 3, "unknown: connection_lost, wait": 2]),
            expectedAtLeastOnce: .counts(["accepted": 3, "unknown: connection_lost, wait": 2]), clientSurvives: false,
            play: shutDown),
    ]

    /// A row whose first connection ends with five requests in flight.
    private static func end(_ number: String, _ words: String, _ how: MockFault.Closing) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .connectionBreaks,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .within(2...5), connection: 1),
                    steps: [.judge, .noAnswer]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 6, connection: 1),
                    steps: [.judge, .closeConnection(how)]),
            ]), expected: .counts(["accepted": 1, "unknown: connection_lost, wait": 5]))
    }

    private static func idleEnd(_ number: String, _ words: String, _ steps: [ServerStep]) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .harmless, arrangement: .script { .answering(200) },
            play: { trial in
                try await trial.authenticate()
                let connection = try await trial.stage.scripted.connection(1)
                for step in steps { try await connection.perform(step) }
                try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
                try await trial.start(1)
            },
            also: { _, outcomes in #expect(outcomes.map(\.connection) == [1, 2]) })
    }

    private static let killAll: @Sendable (FaultTrial) async throws -> Void = { trial in
        try await trial.start(30)
        let server = try trial.stage.scripted
        for number in 1...3 {
            let connection = try await server.connection(number)
            _ = try await connection.request(4)
            #expect(connection.record.value.open.count == 3)
        }
        try await trial.stage.heal()
        for connection in server.connections { try await connection.perform(.abort) }
    }

    private static let shutDown: @Sendable (FaultTrial) async throws -> Void = { trial in
        let connection = try await trial.authenticateAtScript()
        try await trial.start(4)
        _ = try await connection.request(5)
        let patient = Task(executorPreference: OneByOne.shared) {
            await trial.client.shutdown(drainTime: .seconds(3600))
        }
        await OneByOne.shared.goneThrough()
        // The drain: what is answered meanwhile counts.
        try await connection.answerOpen(200, maximum: 2)
        try await connection.settle()
        #expect(!connection.record.value.isClosedByClient)
        await trial.client.shutdown(drainTime: .zero)
        _ = await patient.value
    }
}
