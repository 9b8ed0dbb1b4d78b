import Foundation
import MockAPNs
import MockRun
import PushProvider

// The same file can be in the app and in the server; in the app it says `ActivityAttributes` instead of `Codable`.
struct DeliveryAttributes: Codable {
    struct ContentState: Codable, Hashable {
        var status: String
        var stopsLeft: Int
        var arrival: Date
    }

    var orderNumber: String
    var shop: String
}

/// The Live Activity of docs/rich-notifications.md#live-activities, from its start to its end.
@main
struct LiveActivities {
    let mock: MockServer
    let client: PushClient
    let startToken: DeviceToken
    let updateToken: DeviceToken

    static func main() async throws {
        try await withMock { mock, client in
            let examples = LiveActivities(
                mock: mock, client: client, startToken: try DeviceToken("5f3ad1c07b9e4286"),
                updateToken: try DeviceToken("aabbccdd"))
            try await examples.start()
            try await examples.startWithInput()
            try await examples.update()
            try await examples.end()
        }
        try await Broadcasts.run()
        print("All checks passed.")
    }

    private func start() async throws {
        let payload = try PushPayload.startLiveActivity(
            "DeliveryAttributes",
            attributes: DeliveryAttributes(orderNumber: "42", shop: "Harbour Bakery"),
            contentState: DeliveryAttributes.ContentState(
                status: "on-the-way", stopsLeft: 5, arrival: .now + 1800),
            alert: PushPayload.LiveActivity.Alert(title: "Order 42", body: "It is on its way."),
            staleDate: .now + 600
        )
        try await client.send(PushNotification(to: startToken, topic: "com.example.app", payload: payload))
        let request = try mock.taken().request
        try check(request.topic == "com.example.app.push-type.liveactivity", "the suffix follows")
        try check(request.pushType == .liveactivity, "and the push type")
    }

    private func startWithInput() async throws {
        let attributes = DeliveryAttributes(orderNumber: "42", shop: "Harbour Bakery")
        let state = DeliveryAttributes.ContentState(status: "on-the-way", stopsLeft: 5, arrival: .now)
        let alert = PushPayload.LiveActivity.Alert(title: "Order 42", body: "It is on its way.")
        let payload = try PushPayload.startLiveActivity(
            "DeliveryAttributes", attributes: attributes, contentState: state, alert: alert, input: .token)
        try await client.send(PushNotification(to: startToken, topic: "com.example.app", payload: payload))
        try check(mock.taken().payload.contains(#""input-push-token":1"#), "it asks for a token")
    }

    private func update() async throws {
        let state = DeliveryAttributes.ContentState(status: "on-the-way", stopsLeft: 2, arrival: .now + 600)
        let payload = try PushPayload.updateLiveActivity(contentState: state, staleDate: .now + 600)
        try await client.send(
            PushNotification(to: updateToken, topic: "com.example.app", payload: payload, priority: .powerAware))
        try check(decoded(mock.taken().request.body) == state, "the device decodes what was encoded")
    }

    private func end() async throws {
        let state = DeliveryAttributes.ContentState(status: "delivered", stopsLeft: 0, arrival: .now)
        let payload = try PushPayload.endLiveActivity(
            contentState: state,
            alert: PushPayload.LiveActivity.Alert(title: "Order 42", body: "It is at your door.", sound: "default"),
            dismissal: .at(.now + 3600)
        )
        try await client.send(PushNotification(to: updateToken, topic: "com.example.app", payload: payload))
        try check(decoded(mock.taken().request.body) == state, "and the last state")
    }

    /// As ActivityKit does it: the default decoder.
    private func decoded(_ body: [UInt8]) throws -> DeliveryAttributes.ContentState {
        struct Body: Decodable {
            struct APS: Decodable {
                var state: DeliveryAttributes.ContentState
                private enum CodingKeys: String, CodingKey { case state = "content-state" }
            }
            var aps: APS
        }
        return try JSONDecoder().decode(Body.self, from: Data(body)).aps.state
    }
}
