import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Through a proxy.
    static let proxies: [FaultRow] = [
        refusal(
            "p1", "proxy refuses CONNECT", .says("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nNo"),
            reported: "doesn't allow connections"),
        FaultRow(
            number: "p1a", words: "proxy does not reach the server at first", kind: .returned, arrangement: .mock([]),
            proxy: { $0 > 3 ? .tunnels : .says("HTTP/1.1 50\($0 + 1) Busy\r\n\r\n") }, maximumConnections: 1,
            also: { _, outcomes in #expect(outcomes.allSatisfy { $0.connection == 4 }) }),
        FaultRow(
            number: "p1b", words: "proxy does not reach the server, ever", kind: .returned, arrangement: .mock([]),
            proxy: { _ in .says("HTTP/1.1 504 Gateway Timeout\r\n\r\n") }, maximumConnections: 0,
            expected: .all("not sent: no_connection, proxy"),
            play: { try await $0.start($0.row.pushes, timeout: .seconds(8)) }),
        refusal(
            "p2", "proxy wants authentication", .tunnelsFor("somebody:secret"),
            reported: "requires a user and a password (407)"),
        refusal(
            "p2a", "proxy wants another password", .tunnelsFor("somebody:secret"), user: "somebody:else",
            reported: "refuses this user and password (407)"),
        FaultRow(
            number: "p2b", words: "proxy gets the right password", kind: .harmless, arrangement: .mock([]),
            proxy: { _ in .tunnelsFor("somebody:secret") }, proxyUser: "somebody:secret", maximumConnections: 1),
        FaultRow(
            number: "p3", words: "proxy dies in mid-tunnel", kind: .connectionBreaks,
            arrangement: .script { ServerScript(onRequest: { $0.number == 1 ? [.answer($0.streamID, 200)] : [] }) },
            proxy: { _ in .tunnels },
            expected: .counts(["accepted": 1, "unknown: connection_lost, wait": 5]), play: breakTunnel),
        FaultRow(
            number: "p3a", words: "proxy dies during the TLS handshake", kind: .returned, arrangement: .mock([]),
            proxy: { $0 <= 2 ? .closesAfter(bytes: 100) : .tunnels }, maximumConnections: 3),
        FaultRow(
            number: "p3b", words: "proxy dies before its answer has ended", kind: .returned, arrangement: .mock([]),
            proxy: { $0 <= 2 ? .says("HTTP/1.1 200 OK\r\nVia: ", closes: true) : .tunnels }, maximumConnections: 1),
        FaultRow(
            number: "p3c", words: "proxy silent at first", kind: .returned, arrangement: .mock([]),
            proxy: { $0 == 1 ? .silent : .tunnels }, configure: { $0.connectTimeout = .seconds(2) },
            maximumConnections: 4),
        refusal(
            "p4", "no proxy: it speaks another protocol", .says("SSH-2.0-OpenSSH_9.2\r\n"),
            reported: "\"SSH-2.0-OpenSSH_9.2\""),
        refusal(
            "p4a", "no proxy: it speaks TLS", .says("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}"), reported: "speaks TLS"),
        refusal(
            "p4b", "no proxy: a web server", .says("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\n\r\n"),
            reported: "didn't open a tunnel"),
        refusal(
            "p4c", "no proxy: a head without an end",
            .says("HTTP/1.1 200 OK\r\n" + String(repeating: "X-Filler: 0123456789\r\n", count: 1000)),
            reported: "is longer than 16384 bytes"),
    ]

    /// A row in which the proxy's answer is reported at once, and not at the deadline.
    private static func refusal(
        _ number: String, _ words: String, _ manner: TestProxy.Manner, user: String? = nil, reported: String
    ) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .terminal, arrangement: .mock([]), proxy: { _ in manner },
            proxyUser: user, maximumConnections: 0, expected: .all("not sent: no_connection, proxy"),
            also: { trial, outcomes in
                #expect(outcomes.allSatisfy { $0.sentence.contains(reported) && !$0.sentence.contains("deadline") })
                // One that was handed in when the others had their answer asks for itself, once.
                let proxy = try #require(trial.stage.proxy)
                #expect((1...6).contains(proxy.heads.value.count))
            })
    }

    private static let breakTunnel: @Sendable (FaultTrial) async throws -> Void = { trial in
        let connection = try await trial.authenticateAtScript()
        try await trial.start(5)
        _ = try await connection.request(6)
        try await trial.stage.heal()
        let proxy = try #require(trial.stage.proxy)
        proxy.breakTunnels()
    }
}
