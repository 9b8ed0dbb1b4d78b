import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct GoAwayTests {
    /// A client with three requests in flight on streams 3, 5 and 7 of connection 1.
    private func threeInFlight(
        _ script: ServerScript = ServerScript()
    ) async throws -> (ScriptedServer, PushClient, ServedConnection, [Sending]) {
        let server = try await ScriptedServer.start(script)
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        _ = try await connection.request(4)
        return (server, client, connection, sendings)
    }

    /// Answers the first request of a connection.
    private func answerFirst(of server: ScriptedServer, connection number: Int) async throws {
        let connection = try await server.connection(number)
        try await connection.perform(.answer(try await connection.request(1).streamID, 200))
    }

    @Test func `above all streams, they finish, and the next send goes over a new connection meanwhile`() async throws {
        let (server, client, connection, sendings) = try await threeInFlight()
        try await connection.perform(.goAway(lastStreamID: 7))
        try await connection.settle()
        let next = try await client.start(.sample())
        try await answerFirst(of: server, connection: 2)
        #expect(try await next.value.connection == 2)
        #expect(connection.record.value.open == [3, 5, 7])
        #expect(!connection.record.value.isClosedByClient)

        try await connection.answerOpen(200)
        for sending in sendings { #expect(try await sending.value.connection == 1) }
        #expect(try await sendings.summaries == ["accepted", "accepted", "accepted"])
        let record = try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(record.saidGoodbye)
        #expect(record.opened == [1, 3, 5, 7])
    }

    @Test func `said with the first settings, it ends what is queued after one connection, in its own words`()
        async throws
    {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in .withholdsHTTP2 }))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        try await connection.perform(.goAway(lastStreamID: 0, text: #"{"reason":"BadCertificate"}"#), .release)
        for sending in sendings {
            #expect(try await sending.value.summary.hasPrefix("not sent: no_connection"))
            #expect(try await sending.value.sentence.contains("BadCertificate"))
        }
        #expect(server.connections.count == 1)
    }

    @Test func `what is queued goes over a new connection at once`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(3)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        try await connection.perform(.goAway(lastStreamID: 1))
        let replacement = try await server.connection(2)
        for number in 1...2 {
            try await replacement.perform(.answer(try await replacement.request(number).streamID, 200))
        }
        #expect(try await Array(sendings.dropFirst()).summaries == ["accepted", "accepted"])
        try await connection.answerOpen(200)
        #expect(try await sendings[0].value.connection == 1)
        #expect(connection.record.value.opened == [1])
    }

    @Test func `below a stream, it was not sent and the reason is reported`() async throws {
        let (server, client, connection, sendings) = try await threeInFlight()
        try await connection.perform(.goAway(lastStreamID: 3, text: #"{"reason":"Shutdown"}"#))
        for sending in sendings.dropFirst() {
            let outcome = try await sending.value
            #expect(outcome.summary == "not sent: refused, wait")
            #expect(outcome.sentence == "the server didn't process the request (GOAWAY NO_ERROR, Shutdown).")
        }
        try await connection.answerOpen(200)
        #expect(try await sendings[0].summary == "accepted")
        try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        let next = try await client.start(.sample())
        try await answerFirst(of: server, connection: 2)
        #expect(try await next.summary == "accepted")
    }

    @Test func `below all streams, none was sent and the connection is over`() async throws {
        let (server, client, connection, sendings) = try await threeInFlight()
        try await connection.perform(.goAway(lastStreamID: 1, .enhanceYourCalm, text: "calm down"))
        for sending in sendings {
            let outcome = try await sending.value
            #expect(outcome.summary == "not sent: refused, wait")
            #expect(outcome.sentence.contains("GOAWAY ENHANCE_YOUR_CALM, \"calm down\""))
        }
        try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        let next = try await client.start(.sample())
        try await answerFirst(of: server, connection: 2)
        #expect(try await next.summary == "accepted")
    }

    @Test func `in two steps, the second one counts`() async throws {
        let (server, client, connection, sendings) = try await threeInFlight()
        try await connection.perform(.goAway(lastStreamID: .max))
        try await connection.settle()
        let next = try await client.start(.sample())
        try await answerFirst(of: server, connection: 2)
        #expect(try await next.value.connection == 2)
        try await connection.perform(.goAway(lastStreamID: 5))
        #expect(try await sendings[2].summary == "not sent: refused, wait")
        try await connection.answerOpen(200)
        #expect(try await sendings.summaries == ["accepted", "accepted", "not sent: refused, wait"])
        #expect(connection.record.value.opened == [1, 3, 5, 7])
    }

    @Test(arguments: [Ending.close, .hangUp])
    func `followed by the end, streams above it were not sent and the rest is unknown`(ending: Ending) async throws {
        let (server, client, connection, sendings) = try await threeInFlight()
        try await connection.perform(.goAway(lastStreamID: 5, text: #"{"reason":"Shutdown"}"#), ending.step)
        let expected = ["unknown: connection_lost, wait", "unknown: connection_lost, wait", "not sent: refused, wait"]
        #expect(try await sendings.summaries == expected)
        for sending in sendings { #expect(try await sending.value.sentence.contains("GOAWAY NO_ERROR, Shutdown")) }
        let next = try await client.start(.sample())
        try await answerFirst(of: server, connection: 2)
        #expect(try await next.summary == "accepted")
    }

    @Test func `connections that are rotated under load leave no outcome unknown`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                let answer = ServerStep.answer(request.streamID, 200)
                return request.number == 40 ? [answer, .goAway(lastStreamID: request.streamID)] : [answer]
            }))
        let client = try PushClient.sample(to: server)
        let outcomes = try await withThrowingTaskGroup(of: [PushOutcome].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    var outcomes: [PushOutcome] = []
                    for _ in 0..<20 { outcomes.append(try await client.outcome(of: .sample())) }
                    return outcomes
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let summaries = outcomes.map(\.summary)
        #expect(Set(summaries).isSubset(of: ["accepted", "not sent: refused, wait"]))
        // Of each connection the first forty count; what crossed the GOAWAY on the way lies above it and was not sent.
        let accepted = summaries.count { $0 == "accepted" }
        let last = try #require(server.connections.last).record.value.requests.count
        #expect(accepted == (server.connections.count - 1) * 40 + min(last, 40))
    }

    @Test func `a request that is given up on a draining connection lets it end`() async throws {
        let server = try await ScriptedServer.start()
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let late = try await time.whileStopped {
            let late = try await client.start(.sample(), timeout: .seconds(2))
            _ = try await connection.request(2)
            try await connection.perform(.goAway(lastStreamID: 3))
            try await connection.settle()
            return late
        }
        #expect(try await late.summary == "unknown: deadline, wait")
        let record = try await connection.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(record.resets == [3: .cancel])
        #expect(record.saidGoodbye)
    }
}

/// How a server ends a connection.
enum Ending: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case close
    case hangUp
    case abort

    var step: ServerStep {
        switch self {
        case .close: .close
        case .hangUp: .hangUp
        case .abort: .abort
        }
    }

    var testDescription: String {
        switch self {
        case .close: "close_notify and FIN"
        case .hangUp: "FIN"
        case .abort: "RST"
        }
    }
}
