import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Before the first request.
    static let connecting: [FaultRow] = [
        FaultRow(
            number: "4", words: "connection refused, until somebody listens", kind: .returned, arrangement: .nobody,
            play: { trial in
                try await trial.start(trial.row.pushes)
                try await trial.log.wait(for: "two refusals") { lines in
                    lines.count { $0.contains("refused the connection") } >= 2
                }
                try await trial.stage.heal()
            }),
        FaultRow(
            number: "4a", words: "connection refused, for ever", kind: .returned, arrangement: .nobody,
            expected: .allBegin("not sent: "),
            play: { try await $0.start($0.row.pushes, timeout: .seconds(2)) }),
        FaultRow(
            number: "6", words: "RST as soon as TCP is there", kind: .returned,
            arrangement: .mock([
                MockFault(at: .connectionAccepted, steps: [.closeConnection(.tcpReset)], times: 2)
            ]), maximumConnections: 3),
        FaultRow(
            number: "6a", words: "RST during the TLS handshake", kind: .returned,
            arrangement: .mock([
                MockFault(
                    at: .connectionAccepted, steps: [.wait(.milliseconds(50)), .closeConnection(.tcpReset)], times: 2)
            ]), maximumConnections: 3),
        FaultRow(
            number: "6b", words: "RST when TLS is there", kind: .returned,
            arrangement: .mock([
                MockFault(at: .connectionEstablished, steps: [.closeConnection(.tcpReset)], times: 2)
            ]), maximumConnections: 3),
        FaultRow(
            number: "17", words: "no SETTINGS on the first connection", kind: .returned,
            arrangement: .mock([MockFault(at: .connectionEstablished, steps: [.noAnswer], times: 1)]),
            configure: { $0.settingsTimeout = .seconds(2) }, maximumConnections: 20,
            also: { trial, _ in try #expect(trial.records[0].streamCount == 0) }),
        FaultRow(
            number: "17a", words: "no SETTINGS ever", kind: .returned,
            arrangement: .mock([MockFault(at: .connectionEstablished, steps: [.noAnswer])]),
            configure: { $0.settingsTimeout = .milliseconds(500) }, maximumConnections: 8,
            expected: .allBegin("not sent: "), play: { try await $0.start($0.row.pushes, timeout: .seconds(2)) },
            also: { trial, _ in try #expect(trial.records.map(\.streamCount).allSatisfy { $0 == 0 }) }),
        FaultRow(
            number: "18", words: "SETTINGS late", kind: .harmless,
            arrangement: .mock([MockFault(at: .connectionEstablished, steps: [.wait(.milliseconds(300))])]),
            maximumConnections: 1, also: { trial, _ in try trial.expectNothingOpened(beforeSettings: 0) }),
    ]
}

extension FaultTrial {
    /// What the mock has written down of each connection.
    var records: [MockConnectionRecord] {
        get throws { try stage.mock.connectionRecords }
    }

    /// On the first connection to the mock no stream was opened before these settings of it went out, and some after.
    func expectNothingOpened(beforeSettings number: Int) throws {
        let record = try #require(try records.first)
        let sentAt = try #require(record.settings.count > number ? record.settings[number].sentAt : nil)
        #expect(record.streams.allSatisfy { $0.openedAt >= sentAt })
        #expect(!record.streams.isEmpty)
    }
}
