internal import PushProvider

/// Rules about topic and push type.
enum TopicRules {
    static let rules: [LintRule] = [
        LintRule(
            "topic-missing", .error, title: "A notification has a topic",
            explanation:
                "With a key, the topic is required. With a certificate for one topic, it is optional. APNs answers MissingTopic.",
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(TopicChecks.isThere)),
        LintRule(
            "topic-form", .error, title: "A topic has the characters of a bundle id",
            explanation: "Only letters, digits, dots, hyphens and underscores are allowed. Others could forge headers.",
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(TopicChecks.isWellFormed)),
        LintRule(
            "topic-length", .error, title: "A topic is no longer than a bundle id",
            explanation: "No bundle id has 512 bytes. A longer header could not be sent.",
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(TopicChecks.isShort)),
        LintRule(
            "topic-push-type", .error, aliases: ["L12"],
            title: "The topic has the suffix of the push type",
            explanation: """
                alert and background use the bundle id alone. The other suffixes are .voip, .complication, .pushkit.fileprovider, \
                .location-query, .push-type.liveactivity, .voip-ptt, .push-type.widgets and .push-type.controls.
                """,
            remedy: "Use the bundle id followed by the suffix of the push type.", source: RuleSource.sending,
            check: .request(TopicChecks.fitsPushType)),
        LintRule(
            "push-type-form", .error, title: "A push type is one word",
            explanation: "Other text cannot be the value of this header.", remedy: "Use one of Apple's push types.",
            source: RuleSource.sending, check: .request(TopicChecks.pushTypeIsAWord)),
        LintRule(
            "push-type-unknown", .warning, title: "The push type is one of Apple's",
            explanation:
                "It may be newer than this program. APNs answers InvalidPushType to an unknown push type.",
            remedy:
                "Use one of alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, widgets, controls.",
            source: RuleSource.sending, check: .request(pushTypeIsKnown)),
        LintRule(
            "push-type-payload", .error, title: "A payload is sent with the push type that it was built for",
            explanation: """
                A payload for one push type has no meaning for another. Only alert and background can replace each other, if \
                the other rules allow it.
                """,
            remedy: "Remove the push type. It follows from the payload.", source: RuleSource.sending,
            check: .request(TopicChecks.pushTypeIsThatOfPayload)),
    ]

    // MARK: Push type

    static func pushTypeIsKnown(_ request: CheckedRequest) -> Breach? {
        let pushType = request.inferred.pushType.rawValue
        guard !PushType.known.contains(request.inferred.pushType), TopicChecks.pushTypeIsAWord(request) == nil else {
            return nil
        }
        let meant = Misspelling(pushType, of: PushType.known.map(\.rawValue))?.meant
        return Breach(
            .header(APNSHeader.pushType),
            "Unknown push type \"\(TopicChecks.printable(pushType))\".",
            meant.map { "Did you mean \($0)?" }
                ?? "Use one of \(PushType.known.map(\.rawValue).joined(separator: ", ")).")
    }
}
