import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// Connections that do not come about, under the standard policy: what may pass is tried again, what cannot is reported.
@Suite(.timeLimit(.minutes(10))) struct ConnectRetryTests {
    private static let anHour: Duration = .seconds(3600)

    // MARK: What may pass

    @Test func `connections that are closed at once are tried again until one serves`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(opening: { $0 < 4 ? .closes : .serves }, onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server) { $0.retry = .standard }
        let sendings = try await client.start(3)
        #expect(try await sendings.summaries == ["accepted", "accepted", "accepted"])
        #expect(try await sendings[0].value.connection == 4)
        guard case .accepted(let acceptance) = try await sendings[0].value else { return }
        #expect(acceptance.trace.attempts == 1)
    }

    @Test(arguments: [ServerScript.Opening.neverSpeaksTLS, .withholdsHTTP2])
    func `a server that is too slow is tried again`(opening: ServerScript.Opening) async throws {
        let server = try await ScriptedServer.start(
            ServerScript(opening: { $0 == 1 ? opening : .serves }, onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server) {
            $0.retry = .standard
            $0.handshakeTimeout = .seconds(2)
            $0.settingsTimeout = .seconds(2)
        }
        // On a slow machine the second one may be too slow too.
        #expect(try await client.outcome(of: .sample()).connection ?? 0 >= 2)
        #expect(try await server.connection(1).record.value.opened.isEmpty)
    }

    @Test func `a GOAWAY before the first request leads to another connection`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(
                opening: { $0 == 1 ? .withholdsHTTP2 : .serves }, onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server) { $0.retry = .standard }
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        try await connection.perform(.goAway(lastStreamID: 0, text: #"{"reason":"Shutdown"}"#), .release)
        #expect(try await sending.value.connection == 2)
    }

    @Test func `if no server listens, the attempt ends at the deadline and the cause is reported`() async throws {
        let (time, log) = (StoppableTime(), CapturedLog())
        let client = try PushClient.sample(.local(port: 1), logger: log.logger, time: time) { $0.retry = .standard }
        let sending = try await time.whileStopped {
            let sending = try await client.start(.sample(), timeout: .milliseconds(300))
            try await log.wait(for: "a refusal") { lines in lines.contains { $0.contains("refused the connection") } }
            return sending
        }
        let outcome = try await sending.value
        #expect(outcome.summary == "not sent: no_connection, tcp")
        #expect(
            outcome.sentence
                == """
                its deadline passed before there was a connection: 127.0.0.1:1 refused the connection: nothing listens \
                there, check host and port.
                """)
    }

    @Test func `a name that does not resolve is asked for until the deadline`() async throws {
        let (time, log, resolver) = (StoppableTime(), CapturedLog(), HeldResolver())
        resolver.answer(.failure(.unknown))
        let client = try PushClient.sample(
            .local(host: "nothing.invalid", port: 443), logger: log.logger, resolver: resolver, time: time
        ) { $0.retry = .standard }
        let sending = try await time.whileStopped {
            let sending = try await client.start(.sample(), timeout: .seconds(2))
            try await log.wait(for: "a failure") { lines in lines.contains { $0.contains("can't be resolved") } }
            return sending
        }
        // While there is time, it is asked again.
        try await resolver.count.wait(for: "a second question") { $0 > 1 }
        #expect(try await sending.summary == "not sent: no_connection, dns")
    }

    @Test func `a shutdown ends what waits for a connection when its time is over`() async throws {
        let client = try PushClient.sample(.local(port: 1)) { $0.retry = .standard }
        let sending = try await client.start(.sample(), timeout: Self.anHour)
        await client.shutdown(drainTime: .milliseconds(200))
        #expect(try await sending.summary == "not sent: shutdown, queue")
    }

    @Test func `cancelled while there is no connection, it is over at once`() async throws {
        let client = try PushClient.sample(.local(port: 1)) { $0.retry = .standard }
        let sending = try await client.start(.sample(), timeout: Self.anHour)
        sending.cancel()
        #expect(try await sending.summary == "not sent: cancelled, queue")
    }

    // MARK: What cannot

    @Test func `an authority that is not trusted is reported at once`() async throws {
        let server = try await ScriptedServer.start(identity: ServerIdentity(names: ["127.0.0.1"]))
        let client = try PushClient.sample(.local(port: server.port)) { $0.retry = .standard }
        let sendings = try await client.start(3, timeout: Self.anHour)
        #expect(try await sendings.summaries == Array(repeating: "not sent: no_connection, tls", count: 3))
        // One that was handed in when the others had their answer asks for itself, once.
        #expect((1...3).contains(server.connections.count))
    }

    @Test(arguments: [ServerScript(speaksHTTP2: false), ServerScript(opening: { _ in .speaksPlainly })])
    func `another protocol is reported at once`(script: ServerScript) async throws {
        let server = try await ScriptedServer.start(script)
        let client = try PushClient.sample(to: server) { $0.retry = .standard }
        let outcome = try await client.outcome(of: .sample(), timeout: Self.anHour)
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(server.connections.count == 1)
    }

    @Test func `a GOAWAY about the certificate is reported at once`() async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in .withholdsHTTP2 }))
        let client = try PushClient.sample(to: server) { $0.retry = .standard }
        let sending = try await client.start(.sample(), timeout: Self.anHour)
        let connection = try await server.connection(1)
        try await connection.perform(.goAway(lastStreamID: 0, text: #"{"reason":"BadCertificate"}"#), .release)
        let outcome = try await sending.value
        #expect(outcome.summary.hasPrefix("not sent: no_connection"))
        #expect(outcome.sentence.contains("BadCertificate"))
        #expect(server.connections.count == 1)
    }
}
