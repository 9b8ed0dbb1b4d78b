import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// Connections that have died in silence, and those that only look so.
@Suite(.timeLimit(.minutes(10))) struct SilenceTests {
    @Test func `after a silence a connection is asked before it is used`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server) { $0.trustedSilence = .nanoseconds(1) }
        for _ in 0..<3 { #expect(try await client.outcome(of: .sample()).connection == 1) }
        #expect(try await server.connection(1).record.value.pings == 3)
    }

    @Test func `without a silence it is not asked`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        for _ in 0..<3 { #expect(try await client.outcome(of: .sample()).connection == 1) }
        #expect(try await server.connection(1).record.value.pings == 0)
    }

    @Test func `one that does not answer gets no request and is replaced`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server) {
            $0.trustedSilence = .nanoseconds(1)
            $0.pingTimeout = .seconds(1)
            // On a slow machine any connection may be late with its answer, and is replaced too.
            $0.retry = .standard
        }
        let number = try #require(try await client.outcome(of: .sample()).connection)
        let connection = try await server.connection(number)
        try await connection.perform(.stopReading)
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.connection ?? 0 > number, "\(outcome)")
        #expect(connection.record.value.requests.count == 1)
    }

    @Test func `a connection is kept alive where that is asked for`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server) { $0.keepAlive = .milliseconds(20) }
        try await client.send(.sample())
        let connection = try await server.connection(1)
        try await connection.record.wait(for: "three PINGs") { $0.pings >= 3 }
        #expect(try await client.outcome(of: .sample()).connection == 1)
    }

    @Test func `one that dies in silence is found by keeping it alive`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: {
                $0.number == 1 || $0.connection > 1 ? [.answer($0.streamID, 200)] : [.stopReading]
            }))
        let client = try PushClient.sample(to: server) {
            $0.keepAlive = .milliseconds(500)
            $0.pingTimeout = .seconds(6)
        }
        try await client.send(.sample())
        let lost = try await client.start(.sample(), timeout: .seconds(3600))
        #expect(try await lost.summary == "unknown: connection_lost, wait")
        #expect(try await lost.value.sentence.contains("didn't answer a PING"))
        #expect(try await client.outcome(of: .sample()).connection == 2)
    }

    @Test func `several deadlines in a row, and the connection is asked and replaced`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { $0.connection == 1 ? [] : [.answer($0.streamID, 200)] }))
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        try await client.authenticate(at: server)
        let late = try await time.whileStopped {
            let late = try await client.start(3, timeout: .seconds(1))
            _ = try await server.connection(1).request(4)
            return late
        }
        #expect(try await late.summaries == Array(repeating: "unknown: deadline, wait", count: 3))
        #expect(try await client.outcome(of: .sample()).connection == 2)
        let record = try await server.connection(1).record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(record.pings == 1)
    }
}
