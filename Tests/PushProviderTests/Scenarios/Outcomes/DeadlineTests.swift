import PushWire
import TestSupport
import Testing

@testable import PushProvider

@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    /// Begins when the request is where its test wants it.
    private let short = Duration.seconds(2)

    // MARK: Over before it began

    @Test(arguments: [Duration.zero, .nanoseconds(-1), .seconds(Int64.min)])
    func `a timeout of zero or less sends nothing, not even a connection`(timeout: Duration) async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server)
        guard case .notSent(let notSent) = try await client.outcome(of: .sample(), timeout: timeout) else {
            Issue.record("sent")
            return
        }
        #expect(notSent.cause == .deadline)
        #expect(notSent.description.contains("its timeout isn't longer than zero"))
        let expired = try await client.outcome(of: .sample { $0.expiration = .until(secondsSince1970: 1) })
        #expect(expired.summary == "not sent: expired, queue")
        #expect(server.connections.isEmpty)
    }

    // MARK: In flight

    @Test func `a request that is not answered is given up, and the others are not`() async throws {
        let server = try await ScriptedServer.start()
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let (before, late, after) = try await time.whileStopped {
            let before = try await client.start(1)
            let late = try await client.start(.sample(), timeout: short)
            let after = try await client.start(1)
            _ = try await connection.request(4)
            return (before, late, after)
        }
        let request = try await connection.request(3)

        guard case .unknown(let unknown) = try await late.value else {
            Issue.record("not unknown")
            return
        }
        #expect(unknown.cause == .deadline)
        #expect(unknown.phase == .wait)
        #expect(unknown.apnsID == request.apnsID)
        #expect(unknown.trace.connection == 1)
        #expect(unknown.trace.inFlight > .zero)
        let record = try await connection.record.wait(for: "RST_STREAM") { !$0.resets.isEmpty }
        #expect(record.resets == [request.streamID: .cancel])

        // An answer that comes now changes nothing.
        try await connection.perform(.frame(Frame.status(200, on: request.streamID, flags: Frame.endStream)))
        try await connection.answerOpen(200)
        #expect(try await (before + after).summaries == ["accepted", "accepted"])
        try await connection.settle()
        let next = try await client.start(.sample())
        _ = try await connection.request(5)
        try await connection.answerOpen(200)
        #expect(try await next.value.connection == 1)
        #expect(connection.record.value.resets.count == 1)
    }

    @Test func `the stream of a request that was given up is free for the next`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        try await client.authenticate(at: server)
        let connection = try await server.connection(1)
        let (late, next) = try await time.whileStopped {
            let late = try await client.start(.sample(), timeout: short)
            let next = try await client.start(.sample())
            _ = try await connection.request(2)
            return (late, next)
        }
        #expect(try await late.summary == "unknown: deadline, wait")
        #expect(try await connection.request(3).streamID == 5)
        try await connection.answerOpen(200)
        #expect(try await next.summary == "accepted")
    }

    @Test func `many deadlines are each kept`() async throws {
        let server = try await ScriptedServer.start()
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        try await client.authenticate(at: server)
        let sendings = try await time.whileStopped {
            var sendings: [Sending] = []
            // The later a send, the earlier its deadline: each one comes before those that are planned.
            for number in 0..<20 {
                sendings.append(try await client.start(.sample(), timeout: .milliseconds(10_000 - 10 * number)))
            }
            _ = try await server.connection(1).request(21)
            return sendings
        }
        #expect(try await sendings.summaries.allSatisfy { $0 == "unknown: deadline, wait" })
        // On a busy machine, the client may have opened a second connection.
        while server.connections.reduce(0, { $0 + $1.record.value.resets.count }) < 20 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(server.connections.reduce(0) { $0 + $1.record.value.resets.count } == 20)
        #expect(server.connections.allSatisfy { $0.record.value.open.isEmpty })
    }

    // MARK: In the queue

    @Test func `what waits behind a held stream is not sent`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        let held = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        let late = try await client.start(.sample(), timeout: short)
        let outcome = try await late.value
        #expect(outcome.summary == "not sent: deadline, queue")
        #expect(outcome.sentence == "its deadline passed while it was in the queue: no stream was free.")
        try await connection.answerOpen(200)
        #expect(try await held.summary == "accepted")
        try await connection.settle()
        #expect(connection.record.value.opened == [1])
    }

    @Test func `what is handed in with its deadline passed is never written`() async throws {
        let server = try await ScriptedServer.start()
        let client = try PushClient.sample(to: server)
        try await client.authenticate(at: server)
        let late = try await client.start(.sample(), timeout: .nanoseconds(1))
        #expect(try await late.summary == "not sent: deadline, queue")
        let connection = try await server.connection(1)
        try await connection.settle()
        #expect(connection.record.value.opened == [1])
    }

    // MARK: Before there is a connection

    @Test(arguments: [
        (ServerScript.Opening.neverSpeaksTLS, "tls"), (.withholdsHTTP2, "settings"),
    ])
    func `the phase tells how far the connection had come`(
        opening: ServerScript.Opening, phase: String
    ) async throws {
        let server = try await ScriptedServer.start(ServerScript(opening: { _ in opening }))
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        let late = try await time.whileStopped {
            let late = try await client.start(.sample(), timeout: short)
            let connection = try await server.connection(1)
            if opening == .withholdsHTTP2 { try await connection.record.wait(for: "TLS") { $0.isEstablished } }
            return late
        }
        #expect(try await late.summary == "not sent: deadline, \(phase)")
        #expect(try await server.connection(1).record.value.opened.isEmpty)
    }

    @Test func `what was not sent before SETTINGS is not sent after them`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(opening: { _ in .withholdsHTTP2 }, onRequest: { [.answer($0.streamID, 200)] }))
        let time = StoppableTime()
        let client = try PushClient.sample(.local(port: server.port), time: time)
        let late = try await time.whileStopped {
            let late = try await client.start(.sample(), timeout: short)
            try await server.connection(1).record.wait(for: "TLS") { $0.isEstablished }
            return late
        }
        #expect(try await late.summary == "not sent: deadline, settings")
        let connection = try await server.connection(1)
        try await connection.perform(.release)
        let acceptance = try await client.send(.sample())
        #expect(acceptance.trace.connection == 1)
        #expect(connection.record.value.opened == [1])
    }

    @Test func `a handshake that takes too long fails everything queued, and the next send tries again`()
        async throws
    {
        let server = try await ScriptedServer.start(
            ServerScript(
                opening: { $0 == 1 ? .neverSpeaksTLS : .serves }, onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server) { $0.handshakeTimeout = .seconds(6) }
        let sendings = try await client.start(3)
        let outcome = try await sendings[0].value
        #expect(outcome.sentence == "the TLS handshake with 127.0.0.1:\(server.port) timed out.")
        #expect(try await sendings.summaries == Array(repeating: "not sent: no_connection, tls", count: 3))
        #expect(try await client.outcome(of: .sample()).connection == 2)
    }

    @Test func `settings that never come fail everything queued, and the next send tries again`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(
                opening: { $0 == 1 ? .withholdsHTTP2 : .serves }, onRequest: { [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server) { $0.settingsTimeout = .seconds(6) }
        let sendings = try await client.start(3)
        let outcome = try await sendings[0].value
        #expect(
            outcome.sentence
                == "127.0.0.1:\(server.port) accepted the connection, but sent no HTTP/2 settings.")
        #expect(try await sendings.summaries == Array(repeating: "not sent: no_connection, settings", count: 3))
        #expect(try await server.connection(1).record.value.opened.isEmpty)
        #expect(try await client.outcome(of: .sample()).connection == 2)
    }
}
