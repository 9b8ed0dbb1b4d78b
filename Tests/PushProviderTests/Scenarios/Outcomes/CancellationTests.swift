import Foundation
import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    @Test func `cancelled before the call it is not sent, and no connection is made for it`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sending = Sending {
            withUnsafeCurrentTask { $0?.cancel() }
            return await client.outcome(of: try .sample())
        }
        #expect(try await sending.summary == "not sent: cancelled, queue")
        await client.shutdown()
        #expect(server.connections.isEmpty)
    }

    @Test func `cancelled while it connects it is not sent`() async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in .withholdsHTTP2 }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(2)
        let connection = try await server.connection(1)
        sendings[0].cancel()
        #expect(try await sendings[0].summary == "not sent: cancelled, queue")
        try await connection.perform(.release)
        _ = try await connection.request(1)
        try await connection.answerOpen(200)
        #expect(try await sendings[1].summary == "accepted")
        #expect(connection.record.value.opened == [1])
    }

    @Test func `cancelled in the queue or waiting for room it is not sent, and the others move up`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 1 }
        let held = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        // One is queued, the others wait for room.
        let sendings = try await client.start(4)
        sendings[2].cancel()
        #expect(try await sendings[2].summary == "not sent: cancelled, queue")
        sendings[0].cancel()
        #expect(try await sendings[0].summary == "not sent: cancelled, queue")
        try await connection.answerOpen(200)
        _ = try await connection.request(3)
        try await connection.answerOpen(200)
        #expect(try await [held, sendings[1], sendings[3]].summaries == ["accepted", "accepted", "accepted"])
        #expect(connection.record.value.opened == [1, 3, 5])
    }

    @Test func `cancelled in flight, the stream is reset and the outcome is unknown`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let sendings = try await client.start(2)
        let request = try await connection.request(2)
        _ = try await connection.request(3)
        sendings[0].cancel()
        guard case .unknown(let unknown) = try await sendings[0].value else {
            Issue.record("not unknown")
            return
        }
        #expect(unknown.cause == .cancelled)
        #expect(unknown.phase == .wait)
        #expect(unknown.apnsID == request.apnsID)
        let record = try await connection.record.wait(for: "RST_STREAM") { !$0.resets.isEmpty }
        #expect(record.resets == [request.streamID: .cancel])
        try await connection.answerOpen(200)
        #expect(try await sendings[1].summary == "accepted")
    }

    @Test func `the stream of a cancelled request is free for the next`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let client = try PushClient.sample(to: server)
        let first = try await client.start(.sample())
        let second = try await client.start(.sample(), timeout: .seconds(300))
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        first.cancel()
        #expect(try await first.summary == "unknown: cancelled, wait")
        #expect(try await connection.request(2).streamID == 3)
        try await connection.answerOpen(200)
        #expect(try await second.summary == "accepted")
    }

    @Test func `cancelled after its outcome nothing happens`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        #expect(try await sending.summary == "accepted")
        sending.cancel()
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        #expect(try await server.connection(1).record.value.resets.isEmpty)
    }

    /// Every order of cancelling and taking comes about some time.
    @Test func `whenever it is cancelled, what is said not to be sent was not`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 20 }
        try await client.send(.sample())
        let ids = (0..<1000).map { _ in UUID() }
        let outcomes = try await withThrowingTaskGroup(of: (UUID, PushOutcome).self) { group in
            for (number, id) in ids.enumerated() {
                group.addTask {
                    let sending = Sending { await client.outcome(of: try .sample { $0.id = id }) }
                    if number % 2 == 0 { await Task.yield() }
                    if number % 3 != 0 { sending.cancel() }
                    return (id, try await sending.value)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let connection = try await server.connection(1)
        try await connection.settle()
        let arrived = Set(connection.record.value.requests.map(\.apnsID))
        #expect(outcomes.count == ids.count)
        for (id, outcome) in outcomes {
            let hasArrived = arrived.contains(id.uuidString.lowercased())
            switch outcome.summary {
            case "accepted": #expect(hasArrived)
            case "not sent: cancelled, queue": #expect(!hasArrived)
            case "unknown: cancelled, wait", "unknown: cancelled, write": break
            case let other: Issue.record("unexpected: \(other)")
            }
        }
        #expect(outcomes.values.contains { $0.summary == "not sent: cancelled, queue" })
        #expect(outcomes.values.contains { $0.summary == "accepted" })
    }
}
