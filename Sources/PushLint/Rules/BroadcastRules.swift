internal import PushProvider

/// Rules about broadcasts to the subscribers of a channel. They speak only where a broadcast is described.
enum BroadcastRules {
    static let rules: [LintRule] = [
        LintRule(
            "broadcast-start", .error, aliases: ["L17"], title: "A broadcast updates or ends, it does not start",
            explanation:
                "A Live Activity is started on the device, or by a push to it; the channel carries what follows.",
            remedy: "Start it with a push to each device.", source: RuleSource.broadcast, check: .payload(start)),
        LintRule(
            "broadcast-topic", .error, title: "A broadcast has no apns-topic",
            explanation: "The bundle id stands in the path, without a suffix.", remedy: "Leave the topic out.",
            source: RuleSource.broadcast, check: .request(topic)),
        LintRule(
            "broadcast-id", .error, title: "A broadcast is named by apns-request-id",
            explanation: "apns-id is the name of the id in pushes to devices.", remedy: "Use apns-request-id.",
            source: RuleSource.broadcast, check: .request(id)),
        LintRule(
            "broadcast-expiration", .error, title: "Only a channel that stores messages takes an expiration",
            explanation: "On a channel of storage policy 0 APNs answers BadExpirationDate to any but 0.",
            remedy: "Use expiration 0.", source: RuleSource.broadcast, check: .request(expiration)),
    ]

    static func start(_ subject: LintSubject) -> [Breach] {
        guard subject.request.broadcast != nil else { return [] }
        let advice = "Start it with a push to each device."
        if let node = subject[.event], subject.event == "start" {
            return [Breach(.value(node), "A broadcast cannot start a Live Activity.", advice)]
        }
        return LiveActivityRules.startKeys.compactMap { key in
            subject[key].map {
                Breach(
                    .key($0), "\"\(key.name)\" belongs to start, and a broadcast cannot start a Live Activity.",
                    "Leave it out.")
            }
        }
    }

    static func topic(_ request: CheckedRequest) -> Breach? {
        guard request.broadcast != nil, let topic = request.topic, !topic.isEmpty else { return nil }
        return Breach(
            .header(APNSHeader.topic), "A broadcast has no topic: the bundle id stands in the path.", "Leave it out.")
    }

    static func id(_ request: CheckedRequest) -> Breach? {
        guard request.broadcast?.hasNotificationID == true else { return nil }
        return Breach(
            .header(APNSHeader.id), "A broadcast is named by apns-request-id.", "Use that instead of apns-id.")
    }

    static func expiration(_ request: CheckedRequest) -> Breach? {
        guard request.broadcast?.storesMessages == false else { return nil }
        switch request.expiration {
        case .until, .after: break
        case .apnsDefault, .doNotStore, nil: return nil
        }
        return Breach(
            .header(APNSHeader.expiration), "The channel stores nothing, and an expiration was given.", "Use 0.")
    }
}
