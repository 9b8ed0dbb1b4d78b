import PushPlatform
import PushProvider

/// The static attributes of the activity. An app would call the type `DeliveryAttributes`.
private struct DeliveryAttributes: Encodable {
    var orderNumber = "42"
    var shop = "Harbour Bakery"
}

/// The content state, which changes.
private struct DeliveryState: Encodable {
    var status: String
    var stopsLeft: Int
    var arrival: Date
}

extension ReadyPayload {
    /// One delivery, from its start to its end.
    static let liveActivities: [ReadyPayload] = [
        ReadyPayload(
            "live-activity-start", "starts a Live Activity (iOS 17.2)", allowedFlags: .liveActivityAlert
        ) { now throws(PushPayloadError) in try start(now) },
        ReadyPayload(
            "live-activity-start-channel", "starts a Live Activity that a broadcast channel updates (iOS 18)",
            allowedFlags: .liveActivityAlert
        ) { now throws(PushPayloadError) in try start(now, input: .channel("dHN0LXNyY2gtY2hubA==")) },
        ReadyPayload(
            "live-activity-update", "updates a Live Activity", allowedFlags: .liveActivityAlert
        ) { now throws(PushPayloadError) in
            try .updateLiveActivity(
                contentState: DeliveryState(status: "on-the-way", stopsLeft: 2, arrival: now + 600),
                timestamp: now, staleDate: now + 600, relevanceScore: 75)
        },
        ReadyPayload(
            "live-activity-end", "ends a Live Activity, which stays visible for an hour",
            allowedFlags: .liveActivityAlert
        ) { now throws(PushPayloadError) in
            try .endLiveActivity(
                contentState: DeliveryState(status: "delivered", stopsLeft: 0, arrival: now),
                alert: PushPayload.LiveActivity.Alert(title: "Order 42", body: "It is at your door.", sound: "default"),
                timestamp: now, dismissal: .at(now + 3600))
        },
    ]

    private static func start(
        _ now: Date, input: PushPayload.LiveActivity.Input? = nil
    ) throws(PushPayloadError) -> PushPayload {
        try .startLiveActivity(
            "DeliveryAttributes", attributes: DeliveryAttributes(),
            contentState: DeliveryState(status: "on-the-way", stopsLeft: 5, arrival: now + 1800),
            alert: PushPayload.LiveActivity.Alert(title: "Order 42", body: "It is on its way."),
            timestamp: now, staleDate: now + 600, input: input)
    }
}
