internal import PushJSON

/// A rule that a client enforces, because Apple certainly refuses what breaks it or because it has no form on the wire.
///
/// The table names every rule that is enforced; the lint explains the same rules under the same ids. The rules of headers have their
/// checks here; those of payloads are checked in ``PayloadChecks``, those of certificates in ``CertificateCheck``.
package struct Refusal: Sendable {
    /// The id of the rule, see ``Finding/rule``.
    let id: String
    /// Whether what breaks it has no form on the wire, so that it is refused even where checks are switched off.
    var isImpossible = false
    /// The check of the headers; `nil` for what concerns the payload or the certificate.
    var check: (@Sendable (CheckedRequest) -> Breach?)?

    /// All of them, in the order in which their findings are given.
    static let all: [Refusal] =
        (JSONMistake.Kind.allCases.map(\.rawValue)
        + [
            "not-an-object", "aps-not-an-object", "payload-too-large", "background-visible", "certificate-push-type",
            "certificate-topic-missing", "certificate-topic",
        ])
        .map { Refusal(id: $0) } + ofHeaders

    package static let byID: [String: Refusal] = Dictionary(
        all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// Those about headers.
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
