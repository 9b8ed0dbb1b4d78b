import Foundation
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct QueueBoundTests {
    @Test func `fifty callers get through a queue of two in the order of their calls`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.number == 1 ? [] : [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 2 }
        let ids = (0..<50).map { _ in UUID() }
        let sendings = try await client.start(ids.map { id in try .sample { $0.id = id } })
        let connection = try await server.connection(1)
        try await connection.perform(.answer(try await connection.request(1).streamID, 200))
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
        #expect(connection.record.value.requests.map(\.apnsID) == ids.map { $0.uuidString.lowercased() })
    }

    /// Who waits for room says so when the deadline passes.
    private func expectWaiting(_ late: [Sending], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let words = "its deadline passed while it was waiting for space in the full queue: no stream was free."
        for sending in late { #expect(try await sending.value.sentence == words, sourceLocation: sourceLocation) }
    }

    @Test func `two are queued and the others wait for room`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 2 }
        let held = try await client.start(1)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        let first = try await client.start(1)
        let second = try await client.start(.sample(), timeout: .milliseconds(300))
        let inQueue = "its deadline passed while it was in the queue: no stream was free."
        #expect(try await second.value.sentence == inQueue)
        let third = try await client.start(1)
        try await expectWaiting(client.start(10, timeout: .milliseconds(300)))
        try await connection.answerOpen(200)
        _ = try await connection.request(3)
        try await connection.answerOpen(200)
        #expect(try await (held + first + third).summaries == ["accepted", "accepted", "accepted"])
    }

    @Test func `the bytes of the queue are bounded too`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server) { $0.queuedBytes = 1 }
        let held = try await client.start(1)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        // More than the bound by itself, it fits an empty queue.
        let queued = try await client.start(1)
        try await expectWaiting(client.start(3, timeout: .milliseconds(300)))
        try await connection.answerOpen(200)
        _ = try await connection.request(2)
        try await connection.answerOpen(200)
        #expect(try await (held + queued).summaries == ["accepted", "accepted"])
    }
}
