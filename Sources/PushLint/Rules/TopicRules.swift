internal import PushProvider

/// Rules about topic and push type.
enum TopicRules {
    static let rules: [LintRule] = [
        LintRule(
            "topic-missing", .error, title: "A notification has a topic",
            explanation:
                "With a key always; with a certificate that has one topic, that is taken. APNs answers MissingTopic.",
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(TopicChecks.isThere)),
        LintRule(
            "topic-form", .error, title: "A topic has the characters of a bundle id",
            explanation: "Letters, digits, dots, hyphens and underscores. Anything else could forge a header.",
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(TopicChecks.isWellFormed)),
        LintRule(
            "topic-length", .error, title: "A topic is no longer than a bundle id",
            explanation: "No bundle id comes near 512 bytes; a header that is longer than all may be would be lost.",
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(TopicChecks.isShort)),
        LintRule(
            "topic-push-type", .error, aliases: ["L12"],
            title: "The topic ends as the push type demands",
            explanation: """
                The bundle id alone for alert and background; .voip, .complication, .pushkit.fileprovider, .location-query, \
                .push-type.liveactivity, .voip-ptt, .push-type.widgets, .push-type.controls for the others.
                """,
            remedy: "Use the bundle id followed by the suffix of the push type.", source: RuleSource.sending,
            check: .request(TopicChecks.fitsPushType)),
        LintRule(
            "push-type-form", .error, title: "A push type is a word",
            explanation: "What is none cannot be a header's value.", remedy: "Use one of Apple's words.",
            source: RuleSource.sending, check: .request(TopicChecks.pushTypeIsAWord)),
        LintRule(
            "push-type-unknown", .warning, title: "The push type is one of Apple's words",
            explanation:
                "It may be newer than this program. APNs answers InvalidPushType to a word that it does not know.",
            remedy:
                "Use one of alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, widgets, controls.",
            source: RuleSource.sending, check: .request(pushTypeIsKnown)),
        LintRule(
            "push-type-payload", .error, title: "A payload goes out as what it was built for",
            explanation: """
                A payload that was built for one kind means nothing to another. An alert and a background push may change places \
                where the other rules let them.
                """,
            remedy: "Leave the push type out: it follows from the payload.", source: RuleSource.sending,
            check: .request(TopicChecks.pushTypeIsThatOfPayload)),
    ]

    // MARK: Push type

    static func pushTypeIsKnown(_ request: CheckedRequest) -> Breach? {
        let word = request.inferred.pushType.rawValue
        guard !PushType.known.contains(request.inferred.pushType), TopicChecks.pushTypeIsAWord(request) == nil else {
            return nil
        }
        let meant = Misspelling(word, of: PushType.known.map(\.rawValue))?.meant
        return Breach(
            .header(APNSHeader.pushType),
            "\"\(TopicChecks.printable(word))\" is no push type of Apple's, as far as is known.",
            meant.map { "Did you mean \($0)?" }
                ?? "Use one of \(PushType.known.map(\.rawValue).joined(separator: ", ")).")
    }
}
