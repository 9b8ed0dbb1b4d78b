import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct LostConnectionTests {
    @Test(arguments: Ending.allCases)
    func `written requests have an unknown outcome, and the next send works without help`(ending: Ending) async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.connection == 1 ? [] : [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        let request = try await connection.request(4)
        try await connection.perform(ending.step)
        #expect(try await sendings.summaries == Array(repeating: "unknown: connection_lost, wait", count: 3))
        guard case .unknown(let unknown) = try await sendings[2].value else { return }
        #expect(unknown.apnsID == request.apnsID)
        #expect(unknown.description.contains("127.0.0.1:\(server.port)"))
        #expect(try await client.outcome(of: .sample()).connection == 2)
        try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
    }

    @Test(arguments: Ending.allCases)
    func `what was still queued goes over a new connection`(ending: Ending) async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.connection == 1 ? [] : [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await connection.perform(ending.step)
        #expect(try await sendings.summaries == ["unknown: connection_lost, wait", "accepted", "accepted"])
        #expect(try await sendings[1].value.connection == 2)
    }

    @Test(arguments: [Ending.close, .hangUp])
    func `closed between two pushes, the next just works`(ending: Ending) async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        #expect(try await client.outcome(of: .sample()).connection == 1)
        let connection = try await server.connection(1)
        try await connection.perform(ending.step)
        // Its own end is the proof that the client has noticed ours.
        try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(try await client.outcome(of: .sample()).connection == 2)
        #expect(server.connections.count == 2)
    }

    @Test func `an answer that came before the end counts`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let sendings = try await client.start(2)
        let connection = try await server.connection(1)
        _ = try await connection.request(3)
        // The first is answered whole, of the second only the status has come.
        try await connection.perform(
            .answer(3, 200), .frame(Frame.status(410, on: 5)), .close)
        #expect(try await sendings.summaries == ["accepted", "rejected 410 -"])
    }

    @Test func `a server that breaks HTTP 2 ends its connection`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.connection == 1 ? [] : [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        // DATA before HEADERS.
        try await connection.perform(.frame(Frame.data("?", on: 1, flags: Frame.endStream)))
        #expect(try await sending.summary == "unknown: connection_lost, wait")
        #expect(try await client.outcome(of: .sample()).connection == 2)
    }
}
