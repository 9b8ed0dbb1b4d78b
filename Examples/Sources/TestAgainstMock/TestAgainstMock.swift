import MockAPNs
import PushProvider
import PushTesting

/// An example test of a sender: a mock APNs in the same process, a push, and a check of the request that arrived.
@main
struct TestAgainstMock {
    static func main() async throws {
        try await orderPushArrives()
        try await deadTokenIsForgotten()
        try await oneBadAnswerIsSurvived()
        try await ownKeyIsTrusted()
        try await FaultExamples.run()
        try await FakeOutcomes.run()
        print("All checks passed.")
    }

    /// In your tests, use `#expect` instead.
    static func check(_ claim: Bool, _ message: String) throws {
        if !claim { throw Disappointment(description: message) }
    }

    struct Disappointment: Error, CustomStringConvertible {
        var description: String
    }

    // README: a test
    static func orderPushArrives() async throws {
        let mock = try await MockServer.start()
        let client = try mock.client()

        try await client.send(
            PushNotification(
                to: try DeviceToken("5f3ad1c07b9e4286"),
                topic: "com.example.app",
                payload: .alert(title: "Order 42", body: "It is on its way.")
            )
        )

        let arrival = try await mock.arrival(1, within: .seconds(5))
        try check(arrival.verdict.isAccepted, "the mock accepts it")
        try check(arrival.request.topic == "com.example.app", "the topic is the app's")
        try check(arrival.payload.contains("Order 42"), "the title is there")
        try check(mock.arrivalCount == 1, "it came once")

        await client.shutdown()
        await mock.stop()
    }
    // README: end

    static func deadTokenIsForgotten() async throws {
        let mock = try await MockServer.start()
        let client = try mock.client()
        let token = try DeviceToken("0badc0de0badc0de")
        let notification = PushNotification(to: token, topic: "com.example.app", payload: .alert(body: "Hello"))

        // README: devices
        mock.register(MockDevice(token: token, topics: ["com.example.app"]))
        try await client.send(notification)
        mock.unregister(token)
        let outcome = await client.outcome(of: notification)
        // README: end

        guard case .rejected(let rejection) = outcome else { throw Disappointment(description: "\(outcome)") }
        try check(rejection.reason == .unregistered, "410 Unregistered")
        try check(rejection.explanation?.endsDeviceToken == true, "the token is dead")
        await client.shutdown()
        await mock.stop()
    }

    static func oneBadAnswerIsSurvived() async throws {
        // README: settings
        var configuration = MockConfiguration()
        configuration.unknownTokens = .reject
        configuration.variants.notJSONReason = .payloadEmpty
        let mock = try await MockServer.start(configuration)
        // README: end
        let client = try mock.client()
        let token = try DeviceToken("5f3ad1c07b9e4286")
        mock.register(MockDevice(token: token))
        let notification = PushNotification(to: token, topic: "com.example.app", payload: .alert(body: "Hello"))

        // README: forced answers
        mock.answerNext(status: 503, reason: .serviceUnavailable)
        let acceptance = try await client.send(notification)
        // README: end

        try check(acceptance.trace.attempts == 2, "it was sent again automatically")
        await client.shutdown()
        await mock.stop()
    }

    static func ownKeyIsTrusted() async throws {
        let mock = try await MockServer.start()
        let ownKey = try MockCredentials.inMemory().p8
        // README: own key
        try mock.trust(pem: Array(ownKey.utf8), as: MockTrustedKey(keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))
        // README: end
        let client = try PushClient(
            environment: mock.clientEnvironment,
            credentials: .token(PushProviderKey(p8: ownKey.utf8, keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))
        )
        try await client.send(
            PushNotification(
                to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
        )
        await client.shutdown()
        await mock.stop()
    }
}
