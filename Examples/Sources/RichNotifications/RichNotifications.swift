import Foundation
import MockAPNs
import MockRun
import PushProvider

/// The notifications of docs/rich-notifications.md, each sent to a mock that must take it.
@main
struct RichNotifications {
    let mock: MockServer
    let client: PushClient
    let deviceToken: DeviceToken

    static func main() async throws {
        try await withMock { mock, client in
            let examples = RichNotifications(
                mock: mock, client: client, deviceToken: try DeviceToken("5f3ad1c07b9e4286"))
            try await examples.picture()
            try await examples.candid()
            try await examples.sealedMessage()
            try await examples.contentExtension()
            try await examples.actions()
            try await examples.update()
            try await examples.group()
            try await examples.loudAndQuiet()
            try await examples.languages()
            try await examples.ownTypes()
            try await examples.toMany()
            try await examples.otherKinds()
            try examples.whatIsWrong()
        }
        print("All checks passed.")
    }

    private func picture() async throws {
        var alert = PushPayload.Alert(
            title: "Nora", subtitle: "Summer 2026", body: "Has sent you a photo.", sound: .default)
        alert.category = "PHOTO"
        alert.mutableContent = true
        let payload = try PushPayload.alert(
            alert, custom: ["attachment-url": "https://example.com/photos/4711.jpg"])

        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))
        try check(mock.taken().request.pushType == .alert, "the push type follows from the payload")
    }

    private func candid() async throws {
        var alert = PushPayload.Alert(body: "A reminder is due.", sound: .default)
        alert.mutableContent = true
        let payload = try PushPayload.alert(
            alert, custom: ["reminder-uuid": "0b5f5c0e-6b0a-4f5d-9a53-0c8f6a5d2f11"])
        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))
        try check(mock.taken().payload.contains("reminder-uuid"), "the identifier goes along")
    }

    private func contentExtension() async throws {
        var alert = PushPayload.Alert(title: "Harbour Lights", body: "Nora has added a photo.")
        alert.category = "PHOTO_CARD"
        let payload = try PushPayload.alert(
            alert,
            custom: ["title": "Harbour Lights", "description": "The old pier at dusk.", "imageName": "pier"])
        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))
        try check(mock.taken().payload.contains("PHOTO_CARD"), "the category names the extension")
    }

    private func actions() async throws {
        var alert = PushPayload.Alert(title: "Weekly meeting", body: "Today at 15:00, room 4.", sound: .default)
        alert.category = "MEETING_INVITATION"
        let payload = try PushPayload.alert(alert, custom: ["meeting": "4711"])
        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))
        try check(mock.taken().payload.contains("MEETING_INVITATION"), "the category has the buttons")
    }

    private func update() async throws {
        for (score, minute) in [("1 : 1", 47), ("2 : 1", 63)] {
            try await client.send(
                PushNotification(
                    to: deviceToken, topic: "com.example.app",
                    payload: .alert(title: "Rovers \(score) United", body: "Goal in minute \(minute)."),
                    collapseID: "match-4711"))
        }
        try check(mock.taken().request.collapseID == "match-4711", "the second replaces the first")
    }

    private func group() async throws {
        let payload = PushPayload.alert(title: "Nora", body: "See you at nine?", sound: "default", threadID: "chat-7")
        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))
        try check(mock.taken().payload.contains(#""thread-id":"chat-7""#), "the group is in aps")
    }

    private func loudAndQuiet() async throws {
        var loud = PushPayload.Alert(
            title: "Smoke in the kitchen", body: "Leave the house.", sound: .critical("alarm.caf", volume: 0.8))
        loud.interruptionLevel = .critical

        var urgent = PushPayload.Alert(title: "Your taxi is here", body: "Grey saloon, B 123.", sound: .default)
        urgent.interruptionLevel = .timeSensitive

        var quiet = PushPayload.Alert(title: "Reading list", body: "Three new articles.")
        quiet.interruptionLevel = .passive
        quiet.relevanceScore = 0.2
        for alert in [loud, urgent, quiet] {
            try await client.send(
                PushNotification(to: deviceToken, topic: "com.example.app", payload: try .alert(alert)))
            _ = try mock.taken()
        }
    }

    private func languages() async throws {
        let payload = try PushPayload.alert(
            PushPayload.Alert(
                title: .localized("MATCH_TITLE", arguments: ["Rovers", "United"]),
                body: .localized("GOAL_BODY", arguments: ["63"])))
        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))
        try check(mock.taken().payload.contains(#""loc-key":"GOAL_BODY""#), "the app has the words")
    }

    private func ownTypes() async throws {
        struct Order: Codable, Equatable {
            var number: Int
            var placed: Date
            var lines: [String]
        }
        let order = Order(number: 42, placed: .now, lines: ["bread", "milk"])
        let payload = try PushPayload.alert(
            PushPayload.Alert(title: "Order 42", body: "It is on its way."), encoding: order)
        try await client.send(PushNotification(to: deviceToken, topic: "com.example.app", payload: payload))
        let read = try JSONDecoder().decode(Order.self, from: Data(mock.taken().request.body))
        try check(read == order, "the device's decoder reads what was encoded")
    }

    private func toMany() async throws {
        let deviceTokens = [deviceToken, try DeviceToken("aabb"), try DeviceToken("ccdd")]
        let payload = PushPayload.alert(title: "Harbour Bakery", body: "Fresh bread from six.")
        let notifications = deviceTokens.map { deviceToken in
            PushNotification(to: deviceToken, topic: "com.example.app", payload: payload)
        }
        for try await result in client.outcomes(of: notifications) {
            print(result.outcome)
        }
    }

    private func otherKinds() async throws {
        let payload = try PushPayload.location(custom: ["asked-by": "nora"])
        let notification = PushNotification(to: deviceToken, topic: "com.example.app", payload: payload)
        print(notification.effectiveTopic)  // com.example.app.location-query
        try await client.send(notification)
        try check(mock.taken().request.topic == "com.example.app.location-query", "the suffix is there once")
    }

    private func whatIsWrong() throws {
        do {
            _ = try PushPayload.alert(PushPayload.Alert(body: "Leave the house.", sound: .critical(volume: 80)))
        } catch {
            print(error)  // aps.sound.volume isn't between 0 and 1: give a number from 0.0 to 1.0.
        }
    }
}
