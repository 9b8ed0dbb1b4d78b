import MockAPNs
import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct ShutdownTests {
    /// So long that only a test that hangs sees its end.
    private let anHour = Duration.seconds(3600)

    /// Begins to shut down; what the result becomes says when it is done.
    private func shutDown(_ client: PushClient, _ drainTime: Duration) async -> Watched<Bool> {
        let isDone = Watched(false)
        Task(executorPreference: OneByOne.shared) {
            await client.shutdown(drainTime: drainTime)
            isDone.change { $0 = true }
        }
        await OneByOne.shared.goneThrough()
        return isDone
    }

    @Test func `what is in flight finishes, and nothing more is taken`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        _ = try await connection.request(4)
        let isDone = await shutDown(client, anHour)
        #expect(try await client.outcome(of: .sample()).summary == "not sent: shutdown, queue")
        try await connection.settle()
        #expect(!isDone.value)
        #expect(!connection.record.value.isClosedByClient)
        try await connection.answerOpen(200)
        #expect(try await sendings.summaries == ["accepted", "accepted", "accepted"])
        try await isDone.wait(for: "the end of the shutdown") { $0 }
        let record = try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(record.saidGoodbye)
        #expect(try await client.outcome(of: .sample()).summary == "not sent: shutdown, queue")
        #expect(server.connections.count == 1)
    }

    @Test func `what is queued is sent, and then it is over at once`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.number == 1 ? [] : [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(5)
        let connection = try await server.connection(1)
        let request = try await connection.request(1)
        let isDone = await shutDown(client, anHour)
        try await connection.perform(.answer(request.streamID, 200))
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
        try await isDone.wait(for: "the end of the shutdown") { $0 }
    }

    @Test func `what is queued is sent over a new connection when the old one goes`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.connection == 1 ? [] : [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        let isDone = await shutDown(client, anHour)
        try await connection.perform(.goAway(lastStreamID: 1))
        #expect(try await Array(sendings.dropFirst()).summaries == ["accepted", "accepted"])
        #expect(!isDone.value)
        try await connection.answerOpen(200)
        #expect(try await sendings[0].summary == "accepted")
        try await isDone.wait(for: "the end of the shutdown") { $0 }
    }

    @Test func `when its time is over, everything gets the outcome that is true`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server) { $0.queuedNotifications = 1 }
        let inFlight = try await client.start(.sample())
        let queued = try await client.start(3)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        let report = await client.shutdown(drainTime: .milliseconds(200))
        #expect(report == PushClient.ShutdownReport(notSent: 3, unknown: 1))
        #expect(try await inFlight.summary == "unknown: connection_lost, wait")
        #expect(try await inFlight.value.sentence.contains("the client was shut down"))
        #expect(try await queued.summaries == Array(repeating: "not sent: shutdown, queue", count: 3))
        try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(connection.record.value.opened == [1])
    }

    @Test func `while it connects, the queue is not sent when the time is over`() async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in .neverSpeaksTLS }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(2)
        _ = try await server.connection(1)
        await client.shutdown(drainTime: .milliseconds(200))
        #expect(try await sendings.summaries == Array(repeating: "not sent: shutdown, queue", count: 2))
        try await server.connection(1).record.wait(for: "the end") { $0.isClosed }
    }

    @Test(arguments: [ServerScript.Opening.neverSpeaksTLS, .withholdsHTTP2])
    func `while it connects with nothing to send, it is over at once`(opening: ServerScript.Opening) async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in opening }))
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        sending.cancel()
        #expect(try await sending.summary == "not sent: cancelled, queue")
        let isDone = await shutDown(client, anHour)
        try await isDone.wait(for: "the end of the shutdown") { $0 }
        try await connection.record.wait(for: "the end") { $0.isClosed }
    }

    @Test func `when the last queued send is cancelled while it connects, it is over at once`() async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in .withholdsHTTP2 }))
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        let isDone = await shutDown(client, anHour)
        sending.cancel()
        #expect(try await sending.summary == "not sent: cancelled, queue")
        try await connection.perform(.release)
        try await isDone.wait(for: "the end of the shutdown") { $0 }
    }

    @Test func `when no connection comes about, it is over at once`() async throws {
        let client = try PushClient.sample(.local(port: 1))
        let sendings = try await client.start(2)
        let isDone = await shutDown(client, anHour)
        try await isDone.wait(for: "the end of the shutdown") { $0 }
        #expect(try await sendings.summaries == Array(repeating: "not sent: no_connection, tcp", count: 2))
    }

    @Test func `when the last in flight passes its deadline, it is over at once`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        try await client.authenticate(at: server)
        let (inFlight, queued, isDone) = try await time.whileStopped {
            let inFlight = try await client.start(.sample(), timeout: .seconds(6))
            let queued = try await client.start(.sample(), timeout: .seconds(3))
            _ = try await server.connection(1).request(2)
            return (inFlight, queued, await shutDown(client, anHour))
        }
        #expect(try await queued.summary == "not sent: deadline, queue")
        #expect(try await inFlight.summary == "unknown: deadline, wait")
        try await isDone.wait(for: "the end of the shutdown") { $0 }
    }

    @Test func `it can be asked twice, and again when it is over`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        let first = await shutDown(client, anHour)
        let second = await shutDown(client, anHour)
        try await connection.answerOpen(200)
        try await first.wait(for: "the end of the first") { $0 }
        try await second.wait(for: "the end of the second") { $0 }
        #expect(try await sending.summary == "accepted")
        await client.shutdown()
    }

    @Test func `a second call with less patience ends the first one too`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sending = try await client.start(.sample())
        _ = try await server.connection(1).request(1)
        let first = await shutDown(client, anHour)
        await client.shutdown(drainTime: .zero)
        try await first.wait(for: "the end of the first") { $0 }
        #expect(try await sending.summary == "unknown: connection_lost, wait")
    }

    @Test func `before any send there is nothing to do`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        await client.shutdown(drainTime: anHour)
        #expect(try await client.outcome(of: .sample()).summary == "not sent: shutdown, queue")
        #expect(server.connections.isEmpty)
    }

    @Test func `a client that is let go closes its connection`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        var client: PushClient? = try PushClient.sample(to: server)
        try await client?.send(.sample())
        let connection = try await server.connection(1)
        #expect(!connection.record.value.isClosedByClient)
        client = nil
        let record = try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(record.saidGoodbye)
    }

    // MARK: withPushClient

    @Test func `a scoped client is shut down when the scope ends`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let key = PushCredentials.token(try MockCredentials.ofThisProcess.providerKey)
        let connection = try await withPushClient(environment: .local(port: server.port), credentials: key) { client in
            try await client.send(.sample())
            return try await server.connection(1)
        }
        let record = try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(record.saidGoodbye)
    }

    @Test func `a scoped client is shut down when the scope fails, and its error comes through`() async throws {
        struct Mine: Error {}
        let server = try await ScriptedServer.start(.answering(200))
        let key = PushCredentials.token(try MockCredentials.ofThisProcess.providerKey)
        await #expect(throws: Mine.self) {
            try await withPushClient(environment: .local(port: server.port), credentials: key) { client in
                try await client.send(.sample())
                throw Mine()
            }
        }
        try await server.connection(1).record.wait(for: "the client's end") { $0.isClosedByClient }
    }
}
