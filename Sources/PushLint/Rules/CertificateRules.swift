internal import PushProvider

/// Rules about a certificate: ``CertificateCheck`` holds notifications against them.
enum CertificateRules {
    static let rules: [LintRule] = [
        LintRule(
            "certificate-push-type", .error, title: "Some push types need a key",
            explanation: """
                Live Activities and location pushes go over connections with a provider token only. Push to Talk, widgets and \
                controls would need a certificate that lists their topic.
                """,
            remedy: "Send it with a key (.p8).", source: RuleSource.sending, check: .certificate),
        LintRule(
            "certificate-topic-missing", .error,
            title: "With a certificate for several topics, one is named",
            explanation: "Only a certificate with one topic needs none. APNs answers MissingTopic.",
            remedy: "Give one of the topics of the certificate.", source: RuleSource.responses, check: .certificate),
        LintRule(
            "certificate-topic", .error, title: "A certificate is for its own topics",
            explanation: "APNs answers TopicDisallowed to any other.",
            remedy: "Use a topic of the certificate, or the certificate of that app.", source: RuleSource.sending,
            check: .certificate),
    ]
}
