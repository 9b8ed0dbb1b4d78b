import APNSVocabulary
import MockAPNs
import PushProvider
import PushTesting
import Testing

/// The clients that a mock makes for a test.
struct MockServerClientsTests {
    @Test func `a client of a mock sends to it, and the mock accepts its key`() async throws {
        let mock = try await MockServer.start()
        let client = try mock.client()
        try await client.send(try Self.notification())

        let arrival = try await mock.arrival(1, within: .seconds(5))
        #expect(arrival.verdict.isAccepted)
        #expect(arrival.deviceToken == "5f3ad1c07b9e4286")
        await client.shutdown()
        await mock.stop()
    }

    @Test func `a client finds a mock that listens on all interfaces`() async throws {
        var configuration = MockConfiguration()
        configuration.listenAddress = "0.0.0.0"
        let mock = try await MockServer.start(configuration)
        let client = try mock.client()
        try await client.send(try Self.notification())
        await client.shutdown()
        await mock.stop()
    }

    @Test func `a client gets the configuration that the test gives`() async throws {
        let mock = try await MockServer.start()
        var configuration = PushConfiguration()
        configuration.retry = .never
        let client = try mock.client(configuration)
        mock.answerNext(status: 503, reason: .serviceUnavailable)
        guard case .rejected(let rejection) = await client.outcome(of: try Self.notification()) else {
            Issue.record("the answer of the mock is repeated")
            return
        }
        #expect(rejection.status == 503)
        #expect(mock.arrivalCount == 1)
        await client.shutdown()
        await mock.stop()
    }

    @Test func `a mock with a port for channels makes a client for them, and another mock does not`() async throws {
        var configuration = MockConfiguration()
        configuration.sandboxChannelsPort = 0
        let mock = try await MockServer.start(configuration)
        let channels = try #require(try mock.channelsClient(for: .sandbox))
        let id = try await channels.create(for: "com.example.app", storage: .newest)
        #expect(mock.channels(of: "com.example.app", in: .sandbox).map(\.id) == [id.description])
        #expect(try mock.channelsClient(for: .production) == nil)
        await channels.shutdown()
        await mock.stop()
    }

    private static func notification() throws -> PushNotification {
        PushNotification(
            to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
    }
}
