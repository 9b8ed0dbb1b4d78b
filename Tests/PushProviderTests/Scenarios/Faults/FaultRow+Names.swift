import MockAPNs
import NIOCore
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// From a name to TCP.
    static let names: [FaultRow] = [
        FaultRow(
            number: "1", words: "name does not resolve at first", kind: .returned, arrangement: .mock([]),
            resolve: { ResolvedPorts(ports: $0 <= 2 ? [] : [$1]) }, maximumConnections: 1,
            also: { _, outcomes in #expect(outcomes.allSatisfy { $0.connection == 3 }) }),
        FaultRow(
            number: "1a", words: "name does not resolve, ever", kind: .returned, arrangement: .mock([]),
            resolve: { _, _ in ResolvedPorts(ports: []) }, maximumConnections: 0,
            expected: .allBegin("not sent: "), play: { try await $0.start($0.row.pushes, timeout: .seconds(2)) }),
        FaultRow(
            number: "2", words: "resolver slow", kind: .returned, arrangement: .mock([]),
            resolve: { ResolvedPorts(ports: [$1], after: .milliseconds(500)) }, maximumConnections: 1),
        FaultRow(
            number: "2a", words: "resolver silent at first", kind: .returned, arrangement: .mock([]),
            resolve: { ResolvedPorts(ports: [$1], after: $0 == 1 ? nil : .zero) },
            configure: { $0.resolveTimeout = .seconds(1) }, maximumConnections: 1),
        FaultRow(
            number: "2b", words: "resolver silent, for ever", kind: .returned, arrangement: .mock([]),
            resolve: { ResolvedPorts(ports: [$1], after: nil) }, configure: { $0.resolveTimeout = .milliseconds(400) },
            maximumConnections: 0, expected: .all("not sent: no_connection, dns"),
            play: { trial in
                try await trial.time.whileStopped {
                    try await trial.start(trial.row.pushes, timeout: .seconds(2))
                    try await trial.log.wait(for: "a lookup that took too long") { lines in
                        lines.contains { $0.contains("wasn't resolved within") }
                    }
                }
            }),
        FaultRow(
            number: "3", words: "the first addresses of both families refuse", kind: .harmless, arrangement: .mock([]),
            resolve: { ResolvedPorts(ports: [1, $1], portsOfIPv6: [1]) }, maximumConnections: 1,
            also: { _, outcomes in #expect(outcomes.allSatisfy { $0.connection == 1 }) }),
        FaultRow(
            number: "3a", words: "the first address swallows packets", kind: .harmless, arrangement: .mock([]),
            resolve: { ResolvedPorts(ports: [Self.portOfNowhere ?? 0, $1]) }, maximumConnections: 1,
            play: { trial in
                // Without it the row would show something else.
                _ = try nowhere.get()
                try await trial.start(trial.row.pushes)
            }, also: { _, outcomes in #expect(outcomes.allSatisfy { $0.connection == 1 }) }),
        FaultRow(
            number: "5", words: "packets swallowed, until somebody listens", kind: .returned, arrangement: .nowhere,
            // The second of all may be short on a slow machine once somebody listens, too.
            configure: { $0.connectTimeout = .seconds(1) }, maximumConnections: 10,
            play: { trial in
                try await trial.start(trial.row.pushes)
                try await trial.log.wait(for: "a connection that did not come about") { lines in
                    lines.contains { $0.contains("didn't answer within 1 s") }
                }
                try await trial.stage.heal()
            }),
        FaultRow(
            number: "5a", words: "packets swallowed, for ever", kind: .returned, arrangement: .nowhere,
            configure: { $0.connectTimeout = .seconds(1) }, expected: .allBegin("not sent: "),
            play: { try await $0.start($0.row.pushes, timeout: .seconds(3)) }),
    ]

    /// A port of this process that swallows packets for all rows.
    private static let nowhere = Result { try HeldPort(swallows: true) }
    private static var portOfNowhere: Int? { try? nowhere.get().number }
}
