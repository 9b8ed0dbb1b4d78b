internal import PushProvider

/// Rules about broadcasts to the subscribers of a channel. They are checked only if the request is a broadcast.
enum BroadcastRules {
    static let rules: [LintRule] = [
        LintRule(
            "broadcast-start", .error, aliases: ["L17"], title: "A broadcast does not start a Live Activity",
            explanation:
                "A Live Activity is started on the device, or by a push to the device. The channel sends updates and the end.",
            remedy: "Start it with a push to each device.", source: RuleSource.broadcast, check: .payload(start)),
        LintRule(
            "broadcast-topic", .error, title: "A broadcast has no apns-topic",
            explanation: "The bundle id is in the path, without a suffix.", remedy: "Remove the topic.",
            source: RuleSource.broadcast, check: .request(topic)),
        LintRule(
            "broadcast-id", .error, title: "The id of a broadcast is apns-request-id",
            explanation: "apns-id is only for pushes to devices.", remedy: "Use apns-request-id.",
            source: RuleSource.broadcast, check: .request(id)),
        LintRule(
            "broadcast-push-type", .error, title: "The push type of a broadcast is liveactivity",
            explanation: "Apple's page about broadcasts names no other push type.",
            remedy: "Use liveactivity, or remove the push type.", source: RuleSource.broadcast,
            check: .request(pushType)),
        LintRule(
            "broadcast-collapse-id", .error, title: "A broadcast has no collapse id",
            explanation:
                "Apple's page about broadcasts has no apns-collapse-id. Devices show the update with the newest timestamp.",
            remedy: "Remove the collapse id.", source: RuleSource.broadcast, check: .request(collapseID)),
        LintRule(
            "broadcast-expiration", .error, title: "Only a channel that stores messages accepts an expiration",
            explanation: "With storage policy 0, APNs answers BadExpirationDate to any expiration except 0.",
            remedy: "Use expiration 0.", source: RuleSource.broadcast, check: .request(expiration)),
    ]

    static func start(_ subject: LintSubject) -> [RuleFinding] {
        guard subject.request.broadcast != nil else { return [] }
        let advice = "Start it with a push to each device."
        if let node = subject[.event], subject.event == "start" {
            return [RuleFinding(.value(node), "A broadcast can't start a Live Activity.", advice)]
        }
        return LiveActivityRules.startKeys.compactMap { key in
            subject[key].map {
                RuleFinding(
                    .key($0),
                    "\"\(key.name)\" belongs to the event start, and a broadcast can't start a Live Activity.",
                    "Remove the key.")
            }
        }
    }

    static func topic(_ request: CheckedRequest) -> RuleFinding? {
        guard request.broadcast != nil, let topic = request.topic, !topic.isEmpty else { return nil }
        return RuleFinding(
            .header(APNSHeader.topic), "A broadcast has no topic: the bundle id is in the path.", "Remove the topic.")
    }

    static func id(_ request: CheckedRequest) -> RuleFinding? {
        guard request.broadcast?.hasNotificationID == true else { return nil }
        return RuleFinding(
            .header(APNSHeader.id), "The id of a broadcast is apns-request-id.", "Use it instead of apns-id.")
    }

    static func pushType(_ request: CheckedRequest) -> RuleFinding? {
        guard request.broadcast != nil, let type = request.givenPushType, type != .liveactivity else { return nil }
        return RuleFinding(
            .header(APNSHeader.pushType),
            "The push type of a broadcast is liveactivity, not \(TopicChecks.printable(type.rawValue)).",
            "Use liveactivity, or remove the push type.")
    }

    static func collapseID(_ request: CheckedRequest) -> RuleFinding? {
        guard request.broadcast != nil, request.collapseID != nil else { return nil }
        return RuleFinding(
            .header(APNSHeader.collapseID),
            "A broadcast has no collapse id: a device shows the update with the newest timestamp.",
            "Remove the collapse id.")
    }

    static func expiration(_ request: CheckedRequest) -> RuleFinding? {
        guard request.broadcast?.storesMessages == false else { return nil }
        switch request.expiration?.form {
        case .until, .after, .exact: break
        case .apnsDefault, .once, nil: return nil
        }
        return RuleFinding(
            .header(APNSHeader.expiration), "The channel stores no messages, but an expiration was given.", "Use 0.")
    }
}
