import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

/// Connections that come and go with what there is to send, to a server that is far away.
@Suite(.timeLimit(.minutes(10))) struct GrowthTests {
    private func mock(_ roundTrip: Duration = .milliseconds(100), connections: Int? = 5000) async throws -> MockServer {
        var configuration = MockConfiguration()
        configuration.roundTrip = roundTrip
        configuration.limits.connections = connections
        return try await MockServer.start(configuration, credentials: .ofThisProcess)
    }

    private func expectAllAccepted(_ sendings: [Sending]) async throws {
        let counts = try await sendings.summaries.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(counts == ["accepted": sendings.count])
    }

    /// Sends long notifications until two connections have carried some: how soon there is a second one, the machine's speed
    /// decides.
    private func sendUntilTwoCarry(_ count: Int, _ client: PushClient, _ mock: MockServer) async throws {
        repeat {
            try await expectAllAccepted(client.start(long(count)))
        } while mock.connectionRecords.count(where: { $0.streamCount > 0 }) < 2
    }

    /// How many connections took notifications at the same time, at most: one that leaves takes none any more.
    private func maximumAtOnce(_ records: [MockConnectionRecord]) -> Int {
        let spans = records.compactMap { record -> (first: Date, last: Date)? in
            guard let first = record.streams.first, let last = record.streams.last else { return nil }
            return (first.openedAt, last.openedAt)
        }
        return spans.map { span in
            spans.count { $0.first <= span.first && span.first <= $0.last }
        }.max() ?? 0
    }

    private func long(_ count: Int) throws -> [PushNotification] {
        var notification = try PushNotification.sample()
        notification.payload = .alert(body: String(repeating: "x", count: 4000))
        return Array(repeating: notification, count: count)
    }

    @Test func `where notifications wait for windows, more connections share them, up to the maximum`() async throws {
        let mock = try await mock()
        let client = try PushClient.sample(to: mock) { $0.maximumConnections = 3 }
        try await sendUntilTwoCarry(900, client, mock)
        let records = mock.connectionRecords
        #expect(maximumAtOnce(records) <= 3)
        // None had more than its window carries: what has no room waits where all can take it.
        let open = records.map(\.maximumOpenStreams)
        #expect(open.allSatisfy { $0 <= 18 }, "\(open)")
        await client.shutdown()
        await mock.stop()
    }

    @Test func `a connection that is much slower than the others is replaced, and loses nothing`() async throws {
        let mock = try await mock(.milliseconds(20))
        try mock.inject(MockFault(when: MockFault.Matcher(connection: 2), steps: [.wait(.seconds(2))]))
        let client = try PushClient.sample(to: mock) {
            $0.connections = 3
            $0.streamsPerConnection = 10
        }
        // Until it is so: how long the others take, the machine's speed decides.
        let outcomes = try await withThrowingTaskGroup(of: [String: Int].self) { tasks in
            for _ in 0..<30 {
                tasks.addTask {
                    var counts: [String: Int] = [:]
                    while mock.connectionRecords.count < 4 {
                        counts[try await client.outcome(of: .sample()).summary, default: 0] += 1
                    }
                    return counts
                }
            }
            return try await tasks.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        #expect(Set(outcomes.keys) == ["accepted"])
        let slow = try await mock.connectionRecord(2, within: .seconds(120)) { $0.end != nil }
        #expect(slow.end?.side == .client, "\(slow)")
        await client.shutdown()
        await mock.stop()
    }

    @Test func `before the first answer it says that it waits for it`() async throws {
        let server = try await ScriptedServer.start(ServerScript(settings: .streams(1)))
        let client = try PushClient.sample(to: server)
        let sendings = try await client.start(2)
        let connection = try await server.connection(1)
        _ = try await connection.request(1)
        while client.diagnosis.limit != .server { try await Task.sleep(for: .milliseconds(10)) }
        #expect(client.diagnosis.description.contains("knows the provider token"))
        for number in 1...2 {
            _ = try await connection.request(number)
            try await connection.answerOpen(200)
        }
        try await expectAllAccepted(sendings)
    }

    @Test func `while it sends, it says what limits it`() async throws {
        let mock = try await mock()
        let client = try PushClient.sample(to: mock)
        #expect(client.diagnosis.limit == .nothing)
        var window: String?
        // On a slow machine all may have their answers before this task looks.
        while window == nil {
            for sending in await client.start(try long(300)) {
                _ = try await sending.value
                let diagnosis = client.diagnosis
                if diagnosis.limit == .window { window = diagnosis.description }
            }
        }
        #expect(window?.contains("maximumConnections is reached") == true)
        await client.shutdown()
        await mock.stop()
    }

    @Test func `those above the minimum are closed when there is nothing to do, and none is lost by it`() async throws {
        let mock = try await mock(.milliseconds(50))
        let client = try PushClient.sample(to: mock) {
            $0.maximumConnections = 3
            $0.connectionIdleTime = .milliseconds(500)
        }
        try await sendUntilTwoCarry(600, client, mock)
        #expect(maximumAtOnce(mock.connectionRecords) <= 3)
        while mock.connectionRecords.count(where: { $0.end == nil }) > 1 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let second = await client.start(try long(600))
        try await expectAllAccepted(second)
        await client.shutdown()
        await mock.stop()
    }

    @Test func `where the server takes no second connection, the first one goes on`() async throws {
        let mock = try await mock(connections: 1)
        let client = try PushClient.sample(to: mock) { $0.maximumConnections = 8 }
        let sendings = await client.start(try long(500))
        try await expectAllAccepted(sendings)
        await client.shutdown()
        await mock.stop()
    }

    @Test func `short notifications at a short distance need one connection`() async throws {
        let mock = try await mock(.zero)
        let client = try PushClient.sample(to: mock) { $0.maximumConnections = 8 }
        for _ in 0..<20 {
            try await expectAllAccepted(client.start(10))
        }
        #expect(mock.connectionRecords.count == 1)
        await client.shutdown()
        await mock.stop()
    }
}
