internal import PushJSON

/// A rule that a client enforces: Apple always refuses a notification that breaks it, or the notification cannot be
/// encoded.
///
/// The table has every enforced rule. The lint explains the same rules under the same ids. The checks of headers are
/// here. The checks of payloads are in ``PayloadChecks``, those of certificates in ``CertificateCheck``.
package struct Refusal: Sendable {
    /// The id of the rule, see ``PushFinding/rule``.
    let id: String
    /// Whether a notification that breaks the rule cannot be encoded. Then it is refused even if checks are switched
    /// off.
    var isImpossible = false
    /// The check of the headers; `nil` for a rule about the payload or the certificate.
    var check: (@Sendable (CheckedRequest) -> RuleFinding?)?

    /// All enforced rules, in the order of their findings.
    static let all: [Refusal] =
        (JSONMistake.Kind.allCases.map(\.rawValue)
        + [
            "not-an-object", "aps-not-an-object", "payload-too-large", "background-visible", "certificate-push-type",
            "certificate-topic-missing", "certificate-topic",
        ])
        .map { Refusal(id: $0) } + ofHeaders

    static let ofHeaders: [Refusal] = [
        Refusal(id: "topic-missing", check: TopicChecks.isThere),
        Refusal(id: "topic-form", isImpossible: true, check: TopicChecks.isWellFormed),
        Refusal(id: "topic-length", isImpossible: true, check: TopicChecks.isShort),
        Refusal(id: "push-type-form", isImpossible: true, check: TopicChecks.pushTypeIsAWord),
        Refusal(id: "topic-push-type", check: TopicChecks.fitsPushType),
        Refusal(id: "push-type-payload", check: TopicChecks.pushTypeIsThatOfPayload),
        Refusal(id: "priority-known", check: HeaderChecks.priorityIsKnown),
        Refusal(id: "background-priority", check: HeaderChecks.backgroundIsPowerAware),
        Refusal(id: "collapse-id-length", check: HeaderChecks.collapseIDFits),
        Refusal(id: "expiration-form", check: HeaderChecks.expirationIsInSeconds),
        Refusal(id: "collapse-id-form", isImpossible: true, check: HeaderChecks.collapseIDIsPlain),
    ]
}
