import MockAPNs
import MockConsole
import PushProvider
import PushTesting
import Testing

/// Example tests of a sender, with Swift Testing. Each test has its own mock.
struct SenderTests {
    @Test func `an order arrives once and only once`() async throws {
        let mock = try await MockServer.start()
        let client = try mock.client()
        try await client.send(order(to: "5f3ad1c07b9e4286"))

        let once = MockArrivalExpectation(
            .exactly(1), of: try MockArrivalSearch("topic:com.example.app title:\"Order 42\""))
        let result = await mock.check(once, within: .seconds(5))
        #expect(result.holds, "\(result.explanation)")
        #expect(mock.violations.isEmpty)

        await client.shutdown()
        await mock.stop()
    }

    @Test func `an outage is survived`() async throws {
        let mock = try await MockServer.start()
        let client = try mock.client()
        try mock.inject(
            MockFault(name: "outage", steps: [.answer(status: 503, reason: .serviceUnavailable)], times: 1))
        try await client.send(order(to: "5f3ad1c07b9e4286"))

        #expect(mock.arrivals(matching: try MockArrivalSearch("status:503")).count == 1)
        #expect(mock.arrivals(matching: try MockArrivalSearch("status:200")).count == 1)

        await client.shutdown()
        await mock.stop()
    }

    @Test func `the same mock answers other processes over HTTP`() async throws {
        let mock = try await MockServer.start()
        let console = try await MockConsole.start(for: mock)
        print("http://127.0.0.1:\(console.port)/v1/pushes")
        try console.play("throttled")
        #expect(console.port > 0)
        await console.stop()
        await mock.stop()
    }

    private func order(to deviceToken: String) throws -> PushNotification {
        PushNotification(
            to: try DeviceToken(deviceToken),
            topic: "com.example.app",
            payload: .alert(title: "Order 42", body: "It is on its way.")
        )
    }
}
