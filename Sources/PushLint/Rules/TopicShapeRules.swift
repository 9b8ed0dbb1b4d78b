internal import PushProvider

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

    static func isBundleID(_ request: CheckedRequest) -> Breach? {
        guard request.broadcast == nil, let topic = request.topic, !topic.isEmpty,
            TopicChecks.isWellFormed(request) == nil, TopicChecks.isShort(request) == nil,
            let (problem, advice) = TopicShape.problem(in: topic)
        else { return nil }
        return Breach(.header(APNSHeader.topic), problem, advice)
    }
}
