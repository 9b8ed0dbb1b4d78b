import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// No connection comes about: everything queued learns why, and nothing was sent.
@Suite(.timeLimit(.minutes(10))) struct ConnectFailureTests {
    @Test func `nothing listens there`() async throws {
        // The port of a service that nobody has run for decades.
        let client = try PushClient.sample(.local(port: 1))
        let sendings = try await client.start(3)
        #expect(try await sendings.summaries == Array(repeating: "not sent: no_connection, tcp", count: 3))
        #expect(
            try await sendings[0].value.sentence
                == "127.0.0.1:1 refused the connection: nothing listens there, check host and port.")
        #expect(try await client.outcome(of: .sample()).summary == "not sent: no_connection, tcp")
    }

    @Test func `the name does not resolve`() async throws {
        let client = try PushClient.sample(.local(host: "nothing.invalid", port: 443))
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, dns")
        #expect(
            outcome.sentence
                == "the name \"nothing.invalid\" can't be resolved: check the name, and the DNS of this machine.")
    }

    @Test func `the authority is not trusted, and not a byte of a request leaves`() async throws {
        let server = try await ScriptedServer.start(identity: ServerIdentity(names: ["127.0.0.1"]))
        let client = try PushClient.sample(.local(port: server.port))
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("authority that isn't trusted"))
        #expect(outcome.sentence.contains("trust the authority that issued it"))
        let record = try await server.connection(1).record.wait(for: "the end") { $0.isClosed }
        #expect(record.plaintextBytes == 0)
        #expect(!record.isEstablished)
    }

    @Test func `the certificate is for another host, and not a byte of a request leaves`() async throws {
        let server = try await ScriptedServer.start(identity: ServerIdentity(names: ["other.example"]))
        let client = try PushClient.sample(to: server)
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("the server's certificate isn't for 127.0.0.1"))
        let record = try await server.connection(1).record.wait(for: "the end") { $0.isClosed }
        #expect(record.plaintextBytes == 0)
        #expect(!record.isEstablished)
    }

    @Test func `it does not speak HTTP 2`() async throws {
        let server = try await ScriptedServer.start(ServerScript(speaksHTTP2: false))
        let client = try PushClient.sample(to: server)
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("doesn't speak HTTP/2"))
        #expect(try await server.connection(1).record.value.requests.isEmpty)
    }

    @Test func `it speaks HTTP 2 without ALPN, which a client takes that does not require it`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(
                speaksHTTP2: false, acceptsOthers: true, onRequest: { [.answer($0.streamID, 200, body: "")] }))
        let strict = try PushClient.sample(to: server)
        #expect(try await strict.outcome(of: .sample()).summary == "not sent: no_connection, tls")
        let environment = PushEnvironment(
            host: "127.0.0.1", port: server.port, trust: .authorities(pem: server.identity.authorityPEM),
            requiresALPN: false)
        let client = try PushClient.sample(environment)
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
    }

    @Test(
        arguments: APNSHost.all + [
            "API.sandbox.push.apple.com", "api.development.push.apple.com.", "api.push.apple.com..", "push.apple.com",
            "gateway.Push.Apple.com", "new.api.push.apple.com",
        ])
    func `for Apple's hosts no client is made without ALPN`(host: String) {
        #expect {
            try PushClient.sample(PushEnvironment(host: host, requiresALPN: false))
        } throws: {
            ($0 as? PushConfigurationError)?.name == "requiresALPN"
        }
    }

    @Test func `it does not speak TLS`() async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in .speaksPlainly }))
        let client = try PushClient.sample(to: server)
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("doesn't speak TLS"))
    }

    @Test func `it hangs up at once, and the next send tries again`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(opening: { $0 == 1 ? .closes : .serves }, onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("127.0.0.1:\(server.port)"))
        #expect(try await client.outcome(of: .sample()).connection == 2)
    }

    @Test func `it hangs up before its settings`() async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in .withholdsHTTP2 }))
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        try await connection.record.wait(for: "the client's settings") { $0.settingsCount > 0 }
        try await connection.perform(.hangUp)
        #expect(try await sending.summary == "not sent: no_connection, settings")
    }

}
