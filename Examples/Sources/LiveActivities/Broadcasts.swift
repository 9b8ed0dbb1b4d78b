import MockAPNs
import MockRun
import PushProvider
import PushTesting

/// The code of docs/rich-notifications.md#live-activities: a channel from its creation to its end.
enum Broadcasts {
    /// For Apple.
    static func channels(_ key: PushProviderKey) throws -> PushChannels {
        let channels = try PushChannels(environment: .productionChannels, credentials: .token(key))
        return channels
    }

    static func run() async throws {
        var configuration = MockConfiguration()
        configuration.sandboxChannelsPort = 0
        let mock = try await MockServer.start(configuration)
        guard let channels = try mock.channelsClient(for: .sandbox) else {
            return try check(false, "the port is open")
        }
        let client = try mock.client()
        try await broadcast(channels, client)
        await client.shutdown()
        await mock.stop()
    }

    private static func broadcast(_ channels: PushChannels, _ client: PushClient) async throws {
        let state = DeliveryAttributes.ContentState(status: "on-the-way", stopsLeft: 2, arrival: .now)
        let id = try await channels.create(for: "com.example.app", storage: .newest)

        let payload = try PushPayload.updateLiveActivity(contentState: state)
        try await client.send(
            PushBroadcast(to: id, bundleID: "com.example.app", payload: payload, expiration: .after(.seconds(3600))))

        let all = try await channels.ids(of: "com.example.app")
        try check(all == [id], "it is listed")
        let channel = try await channels.channel(id, of: "com.example.app")
        try check(channel.storage == .newest, "it stores the newest broadcast")
        try start(id)
        try await channels.delete(id, of: "com.example.app")
        await channels.shutdown()
    }

    private static func start(_ id: PushChannel.ID) throws {
        let attributes = DeliveryAttributes(orderNumber: "42", shop: "Harbour Bakery")
        let state = DeliveryAttributes.ContentState(status: "on-the-way", stopsLeft: 5, arrival: .now)
        let alert = PushPayload.LiveActivity.Alert(title: "Order 42", body: "It is on its way.")
        let payload = try PushPayload.startLiveActivity(
            "DeliveryAttributes", attributes: attributes, contentState: state, alert: alert,
            input: .channel(id.description))
        try check(payload.bytes.count < 4096, "it subscribes the device")
    }
}
