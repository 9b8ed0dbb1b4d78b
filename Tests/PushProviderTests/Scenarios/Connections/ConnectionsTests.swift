import NIOCore
import NIOPosix
import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// Several connections of one client.
@Suite(.timeLimit(.minutes(10))) struct ConnectionsTests {
    @Test func `each connection takes what it has room for, and no more are opened than asked for`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let client = try PushClient.sample(to: server) { $0.connections = 3 }
        let sendings = try await client.start(5)
        for number in 1...3 { _ = try await server.connection(number).request(1) }
        for number in 1...3 { try await server.connection(number).settle() }
        #expect(server.connections.map(\.record.value.opened) == [[1], [1], [1]])
        try await server.connection(2).answerOpen(200)
        _ = try await server.connection(2).request(2)
        try await server.connection(3).answerOpen(200)
        _ = try await server.connection(3).request(2)
        for number in 1...3 { try await server.connection(number).answerOpen(200) }
        #expect(try await sendings.summaries == Array(repeating: "accepted", count: 5))
        #expect(server.connections.count == 3)
    }

    @Test func `with a smaller maximum the youngest connections finish what they have and close`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let client = try PushClient.sample(to: server) { $0.connections = 3 }
        let sendings = try await client.start(3)
        for number in 1...3 { _ = try await server.connection(number).request(1) }
        client.limitConnections(to: 1)
        for number in 1...3 { try await server.connection(number).answerOpen(200) }
        #expect(try await sendings.summaries == ["accepted", "accepted", "accepted"])
        for number in 2...3 {
            try await server.connection(number).record.wait(for: "the client's end") { $0.isClosedByClient }
        }
        let first = try await server.connection(1)
        #expect(!first.record.value.isClosedByClient)
        client.limitConnections(to: 0)
        try await first.record.wait(for: "the client's end") { $0.isClosedByClient }
        // What is sent later has a connection all the same.
        let last = try await client.start(1)
        _ = try await server.connection(4).request(1)
        try await server.connection(4).answerOpen(200)
        #expect(try await last.summaries == ["accepted"])
        await client.shutdown()
    }

    @Test func `what one connection has room for needs no second`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let client = try PushClient.sample(to: server) { $0.connections = 3 }
        for _ in 0..<5 { #expect(try await client.outcome(of: .sample()).summary == "accepted") }
        #expect(server.connections.count == 1)
    }

    @Test func `one of two that says GOAWAY is replaced before it ends, and the other goes on`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let client = try PushClient.sample(to: server) { $0.connections = 2 }
        let sendings = try await client.start(3)
        let (first, second) = (try await server.connection(1), try await server.connection(2))
        _ = try await first.request(1)
        _ = try await second.request(1)
        try await first.perform(.goAway(lastStreamID: 1))
        let third = try await server.connection(3)
        _ = try await third.request(1)
        #expect(!first.record.value.isClosedByClient)
        for connection in [first, second, third] { try await connection.answerOpen(200) }
        #expect(try await sendings.summaries == ["accepted", "accepted", "accepted"])
        try await first.record.wait(for: "the client's end") { $0.isClosedByClient }
        #expect(!second.record.value.isClosedByClient)
    }

    @Test func `what one connection gives back another takes`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let client = try PushClient.sample(to: server) {
            $0.connections = 2
            $0.retry = .quick
        }
        let sendings = try await client.start(2)
        let (first, second) = (try await server.connection(1), try await server.connection(2))
        let request = try await first.request(1)
        _ = try await second.request(1)
        try await second.answerOpen(200)
        #expect(try await sendings[1].summary == "accepted")
        // Nothing is written to it any more, and what it had is free to go elsewhere at once.
        try await first.perform(.goAway(lastStreamID: 0))
        let again = try await second.request(2)
        #expect(again.apnsID == request.apnsID)
        try await second.answerOpen(200)
        #expect(try await sendings[0].value.connection == 2)
    }

    @Test func `all die at once, and what was queued goes over new ones`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(settings: .streams(1), onRequest: { $0.connection <= 2 ? [] : [.answer($0.streamID, 200)] }))
        let client = try PushClient.sample(to: server) { $0.connections = 2 }
        let sendings = try await client.start(6)
        let (first, second) = (try await server.connection(1), try await server.connection(2))
        _ = try await first.request(1)
        _ = try await second.request(1)
        try await first.perform(.abort)
        try await second.perform(.abort)
        let summaries = try await sendings.summaries
        #expect(summaries.prefix(2).allSatisfy { $0 == "unknown: connection_lost, wait" })
        #expect(summaries.dropFirst(2).allSatisfy { $0 == "accepted" })
    }

    /// Each connection is on a thread of its own, and the pool on one of them.
    @Test(arguments: [1, 2, 3]) func `connections on several threads serve one queue`(threads: Int) async throws {
        let server = try await ScriptedServer.start(
            ServerScript(
                settings: .streams(5),
                onRequest: { request in
                    request.number % 50 == 0
                        ? [.answer(request.streamID, 200), .goAway(lastStreamID: request.streamID)]
                        : [.answer(request.streamID, 200)]
                }))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let client = try PushClient.sample(to: server, group: group) {
            $0.connections = 4
            $0.retry = .standard
        }
        let outcomes = try await withThrowingTaskGroup(of: String.self) { tasks in
            for number in 0..<800 {
                tasks.addTask {
                    // Some are cancelled wherever they are, and the others must not notice.
                    let sending = Task { try await client.outcome(of: .sample()).summary }
                    if number % 40 == 0 { sending.cancel() }
                    return try await sending.value
                }
            }
            return try await tasks.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes["accepted", default: 0] >= 780)
        #expect(outcomes.keys.allSatisfy { $0 == "accepted" || $0.contains("cancelled") })
        #expect(server.connections.count >= 4)
        let report = await client.shutdown()
        #expect(report == PushClient.ShutdownReport(notSent: 0, unknown: 0))
        try await group.shutdownGracefully()
    }

    /// More than this number is impossible in the time, however fast the machine is: each pause is twice as long as the
    /// one before.
    @Test func `a server that is always about to stop is not stormed with connections`() async throws {
        let server = try await ScriptedServer.start(.answering(503, body: #"{"reason":"Shutdown"}"#))
        let client = try PushClient.sample(to: server) { $0.retry = .quick }
        let outcomes = try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<50 {
                tasks.addTask { try await client.outcome(of: .sample(), timeout: .seconds(2)).summary }
            }
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        // On a slow machine a deadline can come while a request waits for its 503.
        let possible = ["rejected 503", "not sent: ", "unknown: deadline, "]
        #expect(outcomes.allSatisfy { outcome in possible.contains { outcome.hasPrefix($0) } })
        #expect(server.connections.count <= 9)
    }

    // MARK: Credentials

    @Test func `a key that fits no connection stops the client when a second one has said so`() async throws {
        let server = try await ScriptedServer.start(.answering(403, body: #"{"reason":"UnrelatedKeyIdInToken"}"#))
        let log = CapturedLog()
        let client = try PushClient.sample(to: server, logger: log.logger) { $0.retry = .standard }
        let summaries = try await client.start(50).summaries
        #expect(summaries.contains("rejected 403 UnrelatedKeyIdInToken"))
        #expect(
            summaries.allSatisfy {
                $0 == "rejected 403 UnrelatedKeyIdInToken" || $0 == "not sent: credentials, queue"
            })
        #expect(server.connections.count <= 3)
        #expect(criticalLines(log) == 1)
    }

    private func criticalLines(_ log: CapturedLog) -> Int {
        log.lines.count { $0.hasPrefix("critical") }
    }

    @Test func `credentials that are refused again and again stop the client, with one alarm`() async throws {
        let server = try await ScriptedServer.start(.answering(403, body: #"{"reason":"InvalidProviderToken"}"#))
        let log = CapturedLog()
        let client = try PushClient.sample(to: server, logger: log.logger) { $0.retry = .standard }
        let sendings = try await client.start(10)
        let summaries = try await sendings.summaries
        #expect(summaries.prefix(3).allSatisfy { $0 == "rejected 403 InvalidProviderToken" })
        #expect(summaries.dropFirst(3).allSatisfy { $0 == "not sent: credentials, queue" })
        #expect(try await sendings[9].value.sentence.contains("InvalidProviderToken"))
        let next = try await client.outcome(of: .sample(), timeout: .seconds(3600))
        #expect(next.summary == "not sent: credentials, queue")
        #expect(criticalLines(log) == 1)
        #expect(server.connections.map(\.record.value.requests.count) == [3])
    }

    @Test func `a token that is refused now and then stops nothing`() async throws {
        let server = try await ScriptedServer.start(
            ServerScript(onRequest: { request in
                request.number % 3 == 0
                    ? [.answer(request.streamID, 200)]
                    : [.answer(request.streamID, 403, body: #"{"reason":"InvalidProviderToken"}"#)]
            }))
        let client = try PushClient.sample(to: server)
        for number in 1...9 {
            let outcome = try await client.outcome(of: .sample())
            #expect(outcome.summary == (number % 3 == 0 ? "accepted" : "rejected 403 InvalidProviderToken"))
        }
    }

    @Test func `a GOAWAY that speaks of the certificate stops the client`() async throws {
        let server = try await ScriptedServer.start()
        let log = CapturedLog()
        let client = try PushClient.sample(to: server, logger: log.logger) { $0.retry = .standard }
        try await client.authenticate(at: server)
        let sending = try await client.start(.sample())
        let connection = try await server.connection(1)
        _ = try await connection.request(2)
        try await connection.perform(.goAway(lastStreamID: 1, text: #"{"reason":"BadCertificateEnvironment"}"#))
        #expect(try await sending.summary == "not sent: credentials, queue")
        #expect(try await sending.value.sentence.contains("BadCertificateEnvironment"))
        #expect(criticalLines(log) == 1)
    }
}
