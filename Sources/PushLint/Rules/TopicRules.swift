internal import PushProvider

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
            explanation: "No bundle id is 512 bytes long. A longer header couldn't be sent.",
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(TopicChecks.isShort)),
        LintRule(
            "topic-push-type", .error, aliases: ["L12"],
            title: "The topic has the suffix of the push type",
            explanation: """
                alert and background use the bundle id alone. The other suffixes are \
                \(PushType.known.compactMap(\.topicSuffix).filter { !$0.isEmpty }.joined(separator: ", ")).
                """,
            remedy: "Use the bundle id followed by the suffix of the push type.", source: RuleSource.sending,
            check: .request(TopicChecks.fitsPushType)),
        LintRule(
            "push-type-form", .error, title: "A push type is one word",
            explanation: "Other text can't be the value of this header.", remedy: "Use one of Apple's push types.",
            source: RuleSource.sending, check: .request(TopicChecks.pushTypeIsAWord)),
        LintRule(
            "push-type-unknown", .warning, title: "The push type is one of Apple's",
            explanation: """
                It may be newer than this program, so it is sent as it is. APNs answers InvalidPushType to a push type that it \
                doesn't know.
                """,
            remedy: "If Apple has no such push type, use one of \(PushType.knownNames).",
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

    static func pushTypeIsKnown(_ request: CheckedRequest) -> RuleFinding? {
        let pushType = request.inferred.pushType.rawValue
        if let finding = topicNamesUnknownType(request) { return finding }
        guard !request.inferred.pushType.isKnown, TopicChecks.pushTypeIsAWord(request) == nil else { return nil }
        let meant = Misspelling(pushType, of: PushType.known.map(\.rawValue))?.meant
        return RuleFinding(
            .header(APNSHeader.pushType),
            "Unknown push type \"\(TopicChecks.printable(pushType))\".",
            meant.map { "Did you mean \($0)?" }
                ?? "It is sent as it is. If Apple has no such push type, use one of \(PushType.knownNames).")
    }

    /// Apple's newer push types have topics that end in `.push-type.` and their name.
    private static func topicNamesUnknownType(_ request: CheckedRequest) -> RuleFinding? {
        let mark = ".push-type."
        guard request.givenPushType == nil, request.inferred.typeOfTopic == nil, let topic = request.topic,
            // Few topics have a hyphen, and the search for the mark takes as long as all other rules together.
            topic.utf8.contains(UInt8(ascii: "-")),
            let name = topic.ranges(of: mark).last.map({ topic[$0.upperBound...] }),
            !name.isEmpty
        else { return nil }
        let meant = Misspelling(String(name), of: PushType.known.map(\.rawValue))?.meant
        return RuleFinding(
            .header(APNSHeader.topic),
            "The topic ends in \(mark)\(TopicChecks.printable(String(name))), an unknown push type, so the push type is \(request.inferred.pushType).",
            meant.map { "Did you mean \(mark)\($0)?" } ?? "If Apple has such a push type, give it with the topic.")
    }
}

/// Rules about a certificate. ``CertificateCheck`` checks them.
enum CertificateRules {
    static let rules: [LintRule] = [
        LintRule(
            "certificate-push-type", .error, title: "Some push types need a key",
            explanation: """
                Live Activities and location pushes need a connection with a provider token. Push to Talk, widgets, controls \
                and accessories need a certificate that lists their topic.
                """,
            remedy: "Use a key (.p8).", source: RuleSource.sending, check: .elsewhere),
        LintRule(
            "certificate-topic-missing", .error,
            title: "A certificate with several topics needs a topic in each notification",
            explanation: "Only with a certificate for one topic is the topic optional. APNs answers MissingTopic.",
            remedy: "Give one of the topics of the certificate.", source: RuleSource.responses, check: .elsewhere),
        LintRule(
            "certificate-topic", .error, title: "The topic is in the certificate",
            explanation: "APNs answers TopicDisallowed to any other topic.",
            remedy: "Use a topic of the certificate, or use the certificate of that app.", source: RuleSource.sending,
            check: .elsewhere),
    ]
}

/// The rule about topics that are probably no bundle id.
enum TopicShapeRules {
    static let rules: [LintRule] = [
        LintRule(
            "topic-bundle-id", .warning, title: "A topic is a whole bundle id, without the team id",
            explanation: """
                Xcode shows the team id before the bundle id in some places, but the topic is the bundle id alone. A bundle id has at least \
                one dot, and no empty part. APNs answers DeviceTokenNotForTopic or BadTopic.
                """,
            remedy: "Give the app's bundle id.", source: RuleSource.sending, check: .request(isBundleID))
    ]

    static func isBundleID(_ request: CheckedRequest) -> RuleFinding? {
        guard request.broadcast == nil, let topic = request.topic, !topic.isEmpty,
            TopicChecks.isWellFormed(request) == nil, TopicChecks.isShort(request) == nil,
            let (problem, advice) = TopicShape.problem(in: topic)
        else { return nil }
        return RuleFinding(.header(APNSHeader.topic), problem, advice)
    }
}
