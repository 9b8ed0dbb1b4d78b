import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// How many requests are on the way at a time.
@Suite(.timeLimit(.minutes(10))) struct StreamLimitTests {
    // MARK: SETTINGS

    @Test func `nothing is requested before the server's settings`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(opening: { _ in .withholdsHTTP2 }, onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        let record = try await connection.record.wait(for: "the client's settings") { $0.settingsCount > 0 }
        #expect(record.opened.isEmpty)
        try await connection.perform(.release)
        #expect(try await sendings.summaries == ["accepted", "accepted", "accepted"])
        #expect(connection.record.value.opened == [1, 3, 5])
    }

    @Test func `a server that allows no stream gets none until it allows one`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(settings: .streams(0), onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(2)
        let connection = try await server.connection(1)
        try await connection.settle()
        #expect(connection.record.value.opened.isEmpty)
        try await connection.perform(.announce(.streams(1)))
        #expect(try await sendings.summaries == ["accepted", "accepted"])
    }

    // MARK: Authentication

    @Test func `until the first answer one stream is open, however many wait`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(20)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await connection.settle()
        #expect(connection.record.value.opened == [1])
        try await connection.perform(.answer(1, 200))
        _ = try await connection.request(20)
        try await connection.answerOpen(200)
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
    }

    @Test(arguments: [403, 429, 500, 503])
    func `an answer that proves nothing leaves one stream at a time`(status: Int) async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(20)
        let connection = try await server.connection(1)
        for number in 1...3 {
            let request = try await connection.request(number)
            try await connection.settle()
            #expect(connection.record.value.opened.count == number)
            try await connection.perform(.answer(request.streamID, number < 3 ? status : 200))
        }
        _ = try await connection.request(20)
        try await connection.answerOpen(200)
        let summaries = try await sendings.summaries
        #expect(summaries.prefix(3) == ["rejected \(status) -", "rejected \(status) -", "accepted"])
        #expect(summaries.dropFirst(3).allSatisfy { $0 == "accepted" })
    }

    @Test(arguments: [200, 400, 404, 410, 413])
    func `an answer that proves authentication opens the gate`(status: Int) async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(20)
        let connection = try await server.connection(1)
        let request = try await connection.request(1)
        try await connection.perform(.answer(request.streamID, status))
        _ = try await connection.request(20)
        try await connection.answerOpen(200)
        #expect(try await Array(sendings.dropFirst()).summaries.allSatisfy { $0 == "accepted" })
    }

    @Test func `a stream that is reset proves nothing`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(5)
        let connection = try await server.connection(1)
        try await connection.perform(.reset(try await connection.request(1).streamID, .internalError))
        _ = try await connection.request(2)
        try await connection.settle()
        #expect(connection.record.value.opened.count == 2)
        try await connection.answerOpen(200)
        _ = try await connection.request(5)
        try await connection.answerOpen(200)
        let accepted = Array(repeating: "accepted", count: 4)
        #expect(try await sendings.summaries == ["unknown: stream_reset, wait"] + accepted)
    }

    @Test func `every connection must prove it again`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        try await server.connection(1).perform(.close)
        try await server.connection(1).record.wait(for: "the client's end") { $0.isClosedByClient }
        let sendings = try await client.start(5)
        let connection = try await server.connection(2)
        _ = try await connection.request(1)
        try await connection.settle()
        #expect(connection.record.value.opened == [1])
        try await connection.answerOpen(200)
        _ = try await connection.request(5)
        try await connection.answerOpen(200)
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
    }

    // MARK: The limit

    @Test func `never more streams are open than the server allows at the moment`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(5)))
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let sendings = try await client.start(30)
        try await connection.expectRequests(6, open: 5)

        // Lowered while five are open.
        try await connection.perform(.announce(.streams(1)))
        try await connection.expectRequests(6, open: 5)
        for stillOpen in (1...4).reversed() {
            try await connection.answerOpen(200, maximum: 1)
            try await connection.expectRequests(6, open: stillOpen)
        }
        try await connection.answerOpen(200)
        try await connection.expectRequests(7, open: 1)
        try await connection.answerOpen(200)
        try await connection.expectRequests(8, open: 1)

        // Raised while one is open.
        try await connection.perform(.announce(.streams(10)))
        try await connection.expectRequests(17, open: 10)
        try await connection.perform(.announce(.streams(1000)))
        try await connection.expectRequests(31, open: 24)
        try await connection.answerOpen(200)
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
    }

    @Test func `the client's own limit counts where it is lower`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server) { $0.streamsPerConnection = 3 }
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let sendings = try await client.start(5)
        try await connection.expectRequests(4, open: 3)
        try await connection.answerOpen(200)
        try await connection.expectRequests(6, open: 2)
        try await connection.answerOpen(200)
        #expect(try await sendings.summaries.allSatisfy { $0 == "accepted" })
    }
}

extension ServedConnection {
    /// Lets the client do what it can do now, and compares how much came of it.
    fileprivate func expectRequests(
        _ count: Int, open: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        _ = try await request(count)
        try await settle()
        let record = record.value
        #expect(record.opened.count == count, sourceLocation: sourceLocation)
        #expect(record.open.count == open, sourceLocation: sourceLocation)
    }
}
