internal import PushProvider

/// Rules about a certificate. ``CertificateCheck`` checks them.
enum CertificateRules {
    static let rules: [LintRule] = [
        LintRule(
            "certificate-push-type", .error, title: "Some push types need a key",
            explanation: """
                Live Activities and location pushes need a connection with a provider token. Push to Talk, widgets, controls \
                and accessories need a certificate that lists their topic.
                """,
            remedy: "Use a key (.p8).", source: RuleSource.sending, check: .certificate),
        LintRule(
            "certificate-topic-missing", .error,
            title: "A certificate with several topics needs a topic in each notification",
            explanation: "Only with a certificate for one topic is the topic optional. APNs answers MissingTopic.",
            remedy: "Give one of the topics of the certificate.", source: RuleSource.responses, check: .certificate),
        LintRule(
            "certificate-topic", .error, title: "The topic is in the certificate",
            explanation: "APNs answers TopicDisallowed to any other topic.",
            remedy: "Use a topic of the certificate, or use the certificate of that app.", source: RuleSource.sending,
            check: .certificate),
    ]
}
