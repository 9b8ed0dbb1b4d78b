import Foundation
import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushJSON
@testable import PushProvider

/// What is sent as proof, and what is written to logs.
@Suite(.timeLimit(.minutes(10))) struct SecrecyTests {
    @Test func `two clients with the same key carry the same provider token, issued on the grid`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        // Nobody else's: where a token is refused as too old, all that share its key get another one.
        let key = try MockCredentials.inMemory().providerKey
        var tokens: [String] = []
        var grid = (before: 0, after: 1)
        // When the grid moves on in the middle, two tokens are right: once more.
        while grid.before != grid.after {
            grid.before = ProviderTokenGrid.issuedAt(Int(Date().timeIntervalSince1970))
            tokens = []
            // Held, so that no number of other tests with other keys makes the first one's token be forgotten.
            var clients: [PushClient] = []
            for _ in 0..<2 {
                let client = try PushClient.sample(to: server, credentials: .token(key))
                clients.append(client)
                try await client.send(.sample())
                let connection = try #require(server.connections.last)
                tokens.append(try #require(try await connection.request(1).fields["authorization"]))
            }
            for client in clients { await client.shutdown() }
            grid.after = ProviderTokenGrid.issuedAt(Int(Date().timeIntervalSince1970))
        }
        #expect(tokens[0] == tokens[1])
        #expect(tokens[0].hasPrefix("bearer "))
        let claims = String(tokens[0].split(separator: ".")[1])
        let json = try JSONReader.read(try #require(Base64URL.decode(claims)))
        #expect(json["iat"] == .integer(grid.after))
        #expect(json["iss"] == .string(MockCredentials.teamID))
        #expect(grid.after % 1800 == 0)
    }

    @Test func `logs hold no whole device token, no provider token and no key`() async throws {
        let log = CapturedLog()
        let server = try await ScriptedServer.start(
            ServerScript(
                opening: { $0 == 1 ? .closes : .serves },
                onRequest: { request in
                    switch request.number {
                    case 1: [.answer(request.streamID, 200)]
                    case 2: [.answer(request.streamID, 410, body: #"{"reason":"Unregistered"}"#)]
                    case 3: [.reset(request.streamID, .refusedStream)]
                    case 4: [.goAway(lastStreamID: 0, text: #"{"reason":"BadCertificate"}"#), .close]
                    default: []
                    }
                }))
        let client = try PushClient.sample(to: server, logger: log.logger)
        var outcomes: [PushOutcome] = []
        for _ in 0..<5 { outcomes.append(try await client.outcome(of: .sample())) }
        let expected = [
            "not sent: no_connection, tls", "accepted", "rejected 410 Unregistered", "not sent: refused, wait",
            "not sent: refused, wait",
        ]
        #expect(outcomes.map(\.summary) == expected)
        await client.shutdown(drainTime: .zero)
        #expect(log.lines.contains { $0.contains("BadCertificate") })
        #expect(log.lines.contains { $0.contains("no connection") })

        let authorizations = server.connections.flatMap { $0.record.value.requests }
            .compactMap { $0.fields["authorization"] }
        let jwts = Set(authorizations.map { String($0.dropFirst("bearer ".count)) })
        #expect(!jwts.isEmpty)
        var secrets = [DeviceToken.sampleHex]
        secrets += jwts.flatMap { [$0] + $0.split(separator: ".").map(String.init) }
        secrets += try MockCredentials.ofThisProcess.p8.split(separator: "\n").map(String.init)
            .filter { !$0.contains("-----") }
        let texts = log.lines + outcomes.map { "\($0) \($0.sentence)" } + ["\(client.environment)"]
        for secret in secrets { #expect(!texts.contains { $0.contains(secret) }, "\(secret.prefix(8))…") }
    }
}
