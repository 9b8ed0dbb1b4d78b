import Foundation
import MockAPNs
import NIOConcurrencyHelpers
import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// What a client does when its clock or its token is not as APNs wants it.
@Suite(.timeLimit(.minutes(10))) struct ProviderTokenTests {
    private static let tooOld = #"{"reason":"ExpiredProviderToken"}"#

    /// A client with a key of its own: its tokens are nobody else's.
    private func client(of server: ScriptedServer, connections: Int = 1) throws -> PushClient {
        try PushClient.sample(.local(port: server.port), key: MockCredentials.inMemory().providerKey) {
            $0.retry = .standard
            $0.connections = connections
        }
    }

    private func tokens(_ server: ScriptedServer, connection: Int) async throws -> Set<String> {
        Set(try await server.connection(connection).record.value.requests.compactMap { $0.fields["authorization"] })
    }

    @Test func `refused as too old on a thousand streams, one other token serves them all, on another connection`()
        async throws
    {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.connection == 1 ? [] : [.answer($0.streamID, 200)] }))
        let client = try client(of: server)
        try await client.authenticate(at: server)
        let sendings = try await client.start(1000, timeout: .seconds(3600))
        let connection = try await server.connection(1)
        _ = try await connection.request(1001)
        for streamID in connection.record.value.open.sorted() {
            try await connection.perform(.answer(streamID, 403, body: Self.tooOld))
        }
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
        #expect(server.connections.count == 2)
        let (old, new) = (try await tokens(server, connection: 1), try await tokens(server, connection: 2))
        #expect(old.count == 1)
        #expect(new.count == 1)
        #expect(old != new)
        #expect(try await server.connection(2).record.value.requests.count == 1000)
    }

    @Test func `a connection that has carried the token that is too old carries no other`() async throws {
        let answers = NIOLockedValueBox(false)
        let server = try await ScriptedServer.start(
            ServerScript(
                settings: .streams(1),
                onRequest: { request in
                    // The fourth may come at any time after the second has ended.
                    request.connection > 3 || answers.withLockedValue { $0 } ? [.answer(request.streamID, 200)] : []
                }))
        let client = try client(of: server, connections: 2)
        let sendings = try await client.start(8)
        let (first, second) = (try await server.connection(1), try await server.connection(2))
        for connection in [first, second] {
            _ = try await connection.request(1)
            try await connection.answerOpen(200)
            _ = try await connection.request(2)
        }
        // Its clock is behind, and so the other token is from before the first: no time of day makes the two 20 minutes apart.
        let date = DateFormatter.http.string(from: Date(timeIntervalSinceNow: -7200))
        for streamID in first.record.value.open {
            try await first.perform(.answer(streamID, 403, headers: ["date": date], body: Self.tooOld))
        }
        let third = try await server.connection(3)
        _ = try await third.request(1)
        try await second.answerOpen(200)
        // Four are queued, and nothing but the token keeps it from them.
        try await second.record.wait(for: "its end, or another request") {
            $0.isClosedByClient || $0.requests.count > 2
        }
        #expect(second.record.value.requests.count == 2)
        answers.withLockedValue { $0 = true }
        try await third.answerOpen(200)
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
        let old = try await tokens(server, connection: 1).union(tokens(server, connection: 2))
        for connection in 3...server.connections.count {
            #expect(try await tokens(server, connection: connection).isDisjoint(with: old))
        }
    }

    @Test func `the server's date makes the token right`() async throws {
        // Its clock is three hours ahead.
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                let date = Date(timeIntervalSinceNow: 10_800)
                let words = DateFormatter.http.string(from: date)
                return request.connection == 1
                    ? [.answer(request.streamID, 403, headers: ["date": words], body: Self.tooOld)]
                    : [.answer(request.streamID, 200)]
            }))
        let client = try client(of: server)
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        let issuedAt = try #require(ProviderTokenText.issuedAt(try await tokens(server, connection: 2).first))
        let age = issuedAt - Int(Date().timeIntervalSince1970)
        #expect((10_800 - 2500...10_800).contains(age))
    }

    @Test func `refused again, the rejection is reported, with the advice to check the clock`() async throws {
        let server = try await ScriptedServer.start(.answering(403, body: Self.tooOld))
        let client = try client(of: server)
        guard case .rejected(let rejection) = try await client.outcome(of: .sample()) else {
            Issue.record("not rejected")
            return
        }
        #expect(rejection.reason == .expiredProviderToken)
        #expect(rejection.trace.attempts == 2)
        #expect(rejection.explanation?.advice.contains("Check the clock") == true)
        // There is no newer token to try: nothing more is sent for a while.
        guard case .notSent(let notSent) = try await client.outcome(of: .sample()) else {
            Issue.record("sent again")
            return
        }
        #expect(notSent.cause == .credentials)
        #expect(notSent.description.contains("ExpiredProviderToken"))
        #expect(
            Set(server.connections.flatMap(\.record.value.requests).compactMap { $0.fields["authorization"] }).count
                == 2)
    }

    @Test func `changed too often, the token is kept`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                request.number < 3
                    ? [.answer(request.streamID, 429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#)]
                    : [.answer(request.streamID, 200)]
            }))
        let client = try client(of: server)
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        #expect(try await tokens(server, connection: 1).count == 1)
        #expect(server.connections.count == 1)
    }
}
