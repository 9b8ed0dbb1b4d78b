import Foundation
import TestSupport
import Testing

@testable import PushProvider

/// What is different where a certificate says who is there, and not a token.
@Suite(.timeLimit(.minutes(10))) struct CertificateConnectionTests {
    let set: CertificateSet

    init() throws {
        set = try CertificateSet.shared()
    }

    @Test(arguments: ["universal.p12", "legacy.p12"])
    func `the certificate is shown, and no token is sent`(name: String) async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server, credentials: .identity(set.identity(name)))
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        let connection = try await server.connection(1)
        #expect(connection.record.value.clientCertificate == "Apple Push Services: com.example.app")
        let request = try await connection.request(1)
        #expect(request.fields["authorization"] == nil)
        #expect(request.fields["apns-topic"] == "com.example.app")
    }

    @Test func `identities from PEM are shown alike`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let pair = try PushIdentity(
            certificateFile: set.path("universal-certificate.pem"), keyFile: set.path("universal-key-encrypted.pem"),
            passphrase: .example)
        let combined = try PushIdentity(certificateFile: set.path("universal-combined.pem"))
        for identity in [pair, combined] {
            let client = try PushClient.sample(to: server, credentials: .identity(identity))
            #expect(try await client.outcome(of: .sample()).summary == "accepted")
        }
        for number in 1...2 {
            let shown = try await server.connection(number).record.value.clientCertificate
            #expect(shown == "Apple Push Services: com.example.app")
        }
    }

    @Test func `an empty topic means the only one of the certificate`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server, credentials: .identity(set.identity("voip.p12")))
        let sent = try await client.outcome(of: .sample { $0.topic = "" })
        #expect(sent.summary == "accepted")
        let request = try await server.connection(1).request(1)
        #expect(request.fields["apns-topic"] == "com.example.app.voip")
        #expect(request.fields["apns-push-type"] == "voip")
    }

    @Test func `a topic outside the certificate never leaves`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server, credentials: .identity(set.identity("universal.p12")))
        let error = try await #require(throws: PushOutcome.self) {
            try await client.send(.sample { $0.topic = "com.example.other" })
        }
        #expect(error.name == "invalid")
        #expect(error.findings.map(\.subject) == ["apns-topic"])
        #expect(server.connections.isEmpty)
    }

    @Test func `all streams that the server allows are used from the start`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(10)))
        let client = try PushClient.sample(to: server, credentials: .identity(set.identity("universal.p12")))
        let sendings = try await client.start(20)
        let connection = try await server.connection(1)
        try await connection.record.wait(for: "ten requests") { $0.requests.count == 10 }
        try await connection.settle()
        #expect(connection.record.value.maximumOpen == 10)
        try await connection.answerOpen(200)
        try await connection.record.wait(for: "the others") { $0.requests.count == 20 }
        try await connection.answerOpen(200)
        #expect(try await sendings.summaries == Array(repeating: "accepted", count: 20))
    }

    @Test func `a server that finds the certificate expired is understood`() async throws {
        let server = try await ScriptedServer.start(ServerScript(refusesExpired: true))
        let then = Date(timeIntervalSince1970: 1_720_000_000)
        let client = try PushClient.sample(to: server, credentials: .identity(set.identity("expired.p12", now: then)))
        let sendings = try await client.start(3)
        #expect(try await sendings.summaries == Array(repeating: "not sent: credentials, tls", count: 3))
        let sentence = try await sendings[0].value.sentence
        #expect(sentence.contains("refused the certificate sent to it, because it has expired"))
        #expect(sentence.hasSuffix("create a new one."))
    }

    @Test(arguments: ["BadCertificate", "BadCertificateEnvironment"])
    func `a GOAWAY that refuses the certificate ends everything that waits`(reason: String) async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(2)))
        let client = try PushClient.sample(to: server, credentials: .identity(set.identity("sandbox.p12")))
        let sendings = try await client.start(5)
        let connection = try await server.connection(1)
        try await connection.record.wait(for: "two requests") { $0.requests.count == 2 }
        try await connection.perform(.goAway(lastStreamID: 0, text: #"{"reason":"\#(reason)"}"#), .close)
        for sending in sendings {
            let outcome = try await sending.value
            #expect(outcome.summary.hasPrefix("not sent: credentials"))
            #expect(outcome.sentence.contains("refused the certificate: \(reason)."))
        }
        #expect(server.connections.count == 1)
    }

    @Test(arguments: [
        ("sandbox.p12", PushEnvironment.production, false), ("sandbox.p12", .sandbox, true),
        ("sandbox.p12", PushEnvironment(host: "API.push.apple.com.", port: 2197), false),
        ("sandbox.p12", PushEnvironment(host: "api.development.push.apple.com"), true),
        ("production.p12", .sandbox, false), ("production.p12", .production, true),
        ("production.p12", PushEnvironment(host: "api.development.push.apple.com"), false),
        ("production.p12", PushEnvironment(host: "localhost"), true), ("universal.p12", .sandbox, true),
        ("universal.p12", .production, true), ("plain.p12", .production, true),
    ])
    func `a certificate of the other environment is refused`(
        name: String, environment: PushEnvironment, isTaken: Bool
    ) throws {
        let identity = try set.identity(name)
        #expect(identity.certificate.isTaken(by: environment) == isTaken)
        if isTaken {
            _ = try PushClient(environment: environment, credentials: .identity(identity))
        } else {
            let error = try #require(throws: PushCredentialsError.self) {
                try PushClient(environment: environment, credentials: .identity(identity))
            }
            #expect(error.code == .wrongEnvironment)
            #expect(error.description.contains("\(environment)"))
        }
    }
}
