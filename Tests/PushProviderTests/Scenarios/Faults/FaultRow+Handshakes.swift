import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// TLS that cannot be, and what happens to it on its way.
    static let handshakes: [FaultRow] = [
        terminal(
            "7", "handshake_failure alert",
            [.bytes(.bytes([0x15, 3, 3, 0, 2, 2, 40])), .closeConnection(.tcpClosed)], "handshake failure"),
        certificate("8", .expired, "isn't valid now"),
        certificate("8a", .notYetValid, "isn't valid now"),
        certificate("9", .otherHost, "isn't for 127.0.0.1"),
        certificate("10", .unknownAuthority, "comes from an authority that isn't trusted here"),
        certificate("11", .selfSigned, "comes from an authority that isn't trusted here"),
        terminal("12", "no ALPN", [.tls(MockFault.TLS(agreed: .nothing))], "doesn't speak HTTP/2"),
        terminal("12a", "ALPN with http/1.1", [.tls(MockFault.TLS(agreed: .http1))], "doesn't speak HTTP/2"),
        clientCertificate("13", .required, "requires a certificate") { .token($0.key) },
        clientCertificate("13a", .expired, "because it has expired", shown),
        clientCertificate("13b", .revoked, "because it was revoked", shown),
        clientCertificate("13c", .unknownAuthority, "because it doesn't trust its issuer", shown),
        FaultRow(
            number: "14", words: "TLS alert in the middle of writes", kind: .connectionBreaks,
            arrangement: .mock([
                // The window lets 65 535 bytes through: of seventeen bodies the last one is stuck half-way.
                MockFault(
                    at: .connectionEstablished, when: MockFault.Matcher(connection: 1),
                    steps: [.withhold([.windowUpdates])]),
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .within(2...17), connection: 1),
                    steps: [.judge, .noAnswer]),
                MockFault(
                    at: .requestHeaders, when: MockFault.Matcher(requestOnConnection: 17, connection: 1),
                    steps: [.closeConnection(.tlsAlert)]),
            ]), pushes: 20, payload: .long,
            expected: .counts(["accepted": 4, "unknown: connection_lost, wait": 16]),
            also: { trial, _ in
                let record = try trial.records[0]
                #expect(record.streamCount == 17)
                #expect(record.requestCount < 17)
                #expect(record.end?.side == .fault)
            }),
        FaultRow(
            number: "15", words: "TCP close without close_notify", kind: .connectionBreaks,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 2, connection: 1),
                    steps: [.judge, .closeConnection(.tcpClosed)])
            ]), pushes: 2, expected: .counts(["accepted": 1, "unknown: connection_lost, wait": 1])),
        FaultRow(
            number: "16", words: "handshake of a byte a second, at first", kind: .returned,
            arrangement: .mock([
                MockFault(at: .connectionAccepted, steps: [.trickle(bytes: 1, every: .seconds(1))], times: 1)
            ]), configure: { $0.handshakeTimeout = .seconds(2) }, maximumConnections: 20),
        FaultRow(
            number: "16a", words: "handshake of a byte a second, ever", kind: .returned,
            arrangement: .mock([MockFault(at: .connectionAccepted, steps: [.trickle(bytes: 1, every: .seconds(1))])]),
            configure: { $0.handshakeTimeout = .milliseconds(500) }, maximumConnections: 20,
            expected: .allBegin("not sent: "), play: { try await $0.start($0.row.pushes, timeout: .seconds(2)) }),
    ]

    private static let shown: @Sendable (FaultStage) throws -> PushCredentials = { _ in
        .identity(try CertificateSet.shared().identity("universal.p12"))
    }

    private static func certificate(_ number: String, _ kind: MockFault.TLS.Certificate, _ sentence: String) -> FaultRow
    {
        terminal(number, "server certificate \(kind.rawValue)", [.tls(MockFault.TLS(certificate: kind))], sentence)
    }

    /// A retry cannot help: the sentence is reported, and no byte of a request has left.
    private static func terminal(
        _ number: String, _ words: String, _ steps: [MockFault.Step], _ sentence: String
    ) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .terminal,
            // What is handed in when the others have their answer asks for itself.
            arrangement: .mock([MockFault(at: .connectionAccepted, steps: steps)]), maximumConnections: 6,
            expected: .all("not sent: no_connection, tls"),
            also: { trial, outcomes in
                #expect(outcomes.allSatisfy { $0.sentence.contains(sentence) }, "\(outcomes[0].sentence)")
                #expect(outcomes.allSatisfy { $0.trace.attempts <= 1 })
                try #expect(trial.records.allSatisfy { $0.streamCount == 0 })
            })
    }

    /// Under TLS 1.3 the server refuses when the client already believes that the handshake is over.
    private static func clientCertificate(
        _ number: String, _ demand: MockFault.TLS.ClientCertificate, _ sentence: String,
        _ credentials: @escaping @Sendable (FaultStage) throws -> PushCredentials
    ) -> FaultRow {
        FaultRow(
            number: number, words: "client certificate \(demand.rawValue)", kind: .clientStops,
            arrangement: .mock([
                MockFault(at: .connectionAccepted, steps: [.tls(MockFault.TLS(clientCertificate: demand))])
            ]), credentials: credentials,
            // If the client is still writing when the server closes, TCP resets the connection, and the alert can be lost.
            maximumConnections: 2, expected: .all("not sent: credentials, tls"),
            clientSurvives: false,
            also: { trial, outcomes in
                #expect(outcomes.allSatisfy { $0.sentence.contains(sentence) }, "\(outcomes[0].sentence)")
                #expect(trial.stage.log.isEmpty)
            })
    }
}
