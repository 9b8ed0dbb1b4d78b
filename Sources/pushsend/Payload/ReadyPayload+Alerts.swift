internal import PushJSON
import PushProvider

extension ReadyPayload {
    /// Visible alerts: texts, pictures, actions, and groups.
    static let alerts: [ReadyPayload] = [
        ReadyPayload("alert", "a title, a text and a sound", allowedFlags: .alert) { _ throws(PushPayloadError) in
            try .alert(PushPayload.Alert(title: "Order 42", body: "It is on its way.", sound: .default))
        },
        ReadyPayload(
            "rich", "a picture that the service extension fetches, and a category", allowedFlags: .alert
        ) { _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(
                title: "Nora", subtitle: "Summer 2026", body: "Has sent you a photo.", sound: .default)
            alert.category = "PHOTO"
            alert.mutableContent = true
            return try .alert(alert, custom: ["attachment-url": "https://example.com/photos/4711.jpg"])
        },
        ReadyPayload(
            "candid", "an identifier; the service extension looks up its text", allowedFlags: .alert
        ) { _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(body: "A reminder is due.", sound: .default)
            alert.mutableContent = true
            return try .alert(alert, custom: ["reminder-uuid": "0b5f5c0e-6b0a-4f5d-9a53-0c8f6a5d2f11"])
        },
        ReadyPayload(
            "custom-interface", "a category with a content extension, and the values to show", allowedFlags: .alert,
            aliases: ["content-extension"]
        ) { _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(title: "Harbour Lights", body: "Nora has added a photo.")
            alert.category = "PHOTO_CARD"
            return try .alert(
                alert,
                custom: [
                    "title": "Harbour Lights", "description": "The old pier at dusk.", "imageName": "pier",
                ])
        },
        ReadyPayload(
            "actions", "a category whose buttons the app has registered", allowedFlags: .alert, aliases: ["category"]
        ) { _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(title: "Weekly meeting", body: "Today at 15:00, room 4.", sound: .default)
            alert.category = "MEETING_INVITATION"
            return try .alert(alert, custom: ["meeting": "4711", "organiser": "nora"])
        },
        ReadyPayload(
            "update", "replaces the last notification with the same collapse id", allowedFlags: .alert,
            aliases: ["replace"], collapseID: "match-4711"
        ) { _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(title: "Rovers 2 : 1 United", body: "Goal in minute 63.")
            alert.threadID = "match-4711"
            return try .alert(alert, custom: ["match": 4711])
        },
        ReadyPayload(
            "grouped", "belongs to a conversation", allowedFlags: .alert, aliases: ["group"]
        ) { _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(title: "Nora", body: "See you at nine?", sound: .default)
            alert.threadID = "chat-7"
            alert.targetContentID = "chat-7"
            return try .alert(alert, custom: ["chat": 7])
        },
        ReadyPayload(
            "localized", "keys; the app contains their text in each language", allowedFlags: .alert,
            aliases: ["localised"]
        ) { _ throws(PushPayloadError) in
            try .alert(
                PushPayload.Alert(
                    title: .localized("MATCH_TITLE", arguments: ["Rovers", "United"]),
                    body: .localized("GOAL_BODY", arguments: ["63"]), sound: .default))
        },
    ]

    /// Alerts by importance, from quiet to critical.
    static let loudAndQuiet: [ReadyPayload] = [
        ReadyPayload("critical", "breaks through mute and Focus; needs an entitlement", allowedFlags: .alert) {
            _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(
                title: "Smoke in the kitchen", body: "Leave the house.",
                sound: .critical("alarm.caf", volume: 0.8))
            alert.interruptionLevel = .critical
            alert.relevanceScore = 1
            return try .alert(alert)
        },
        ReadyPayload("time-sensitive", "breaks through Focus if the person allows it", allowedFlags: .alert) {
            _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(title: "Your taxi is here", body: "Grey saloon, B 123.", sound: .default)
            alert.interruptionLevel = .timeSensitive
            alert.relevanceScore = 0.9
            return try .alert(alert)
        },
        ReadyPayload("passive", "goes to the list, without light or sound", allowedFlags: .alert, aliases: ["quiet"]) {
            _ throws(PushPayloadError) in
            var alert = PushPayload.Alert(title: "Reading list", body: "Three new articles.")
            alert.interruptionLevel = .passive
            alert.relevanceScore = 0.2
            alert.filterCriteria = "reading"
            return try .alert(alert)
        },
    ]

    /// Notifications that are not visible.
    static let silent: [ReadyPayload] = [
        ReadyPayload("background", "wakes the app sometimes, and shows nothing") { _ throws(PushPayloadError) in
            .background(custom: ["changed": ["orders", "profile"]])
        }
    ]
}
