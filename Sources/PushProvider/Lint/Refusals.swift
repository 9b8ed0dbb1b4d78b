/// What a client refuses before it sends: the rules of the table that Apple's servers enforce for certain.
///
/// It runs for every notification, so it costs what the rules cost and no more: it makes nothing, looks at the payload only
/// through what was read when the payload was made, and calls the functions by their names. A test holds it against the
/// table.
enum Refusals {
    /// - Parameters:
    ///   - notification: What is to be sent.
    ///   - inferred: Its push type and priority.
    ///   - certificate: The certificate that it is sent with.
    ///   - checks: Whether what Apple refuses is refused; otherwise only what has no form on the wire is.
    /// - Returns: Findings, all of them errors; empty when it may go.
    static func findings(
        _ notification: PushNotification, _ inferred: PushNotification.Inferred, certificate: CertificateCheck?,
        checks: Bool = true
    ) -> [Finding] {
        if certificate == nil, isPlainAlert(notification, inferred) { return [] }
        return examined(notification, inferred, certificate: certificate, checks: checks)
    }

    /// Whether it is an alert without anything unusual, which no rule refuses. Most notifications are, and seeing it takes a
    /// quarter of the time of all the rules. A test holds this against them.
    static func isPlainAlert(_ notification: PushNotification, _ inferred: PushNotification.Inferred) -> Bool {
        guard notification.collapseID == nil, inferred.typeOfTopic == nil, inferred.pushType == .alert,
            notification.payload.pushType == nil || notification.payload.pushType == .alert,
            !mayRefuse(notification.payload, .alert), TopicRules.isPlain(notification.topic)
        else { return false }
        if case .until? = notification.expiration { return false }
        switch notification.priority {
        case nil, .immediate?, .powerAware?: return true
        default: return false
        }
    }

    /// Applies the rules.
    static func examined(
        _ notification: PushNotification, _ inferred: PushNotification.Inferred, certificate: CertificateCheck?,
        checks: Bool
    ) -> [Finding] {
        let request = LintedRequest(notification, inferred)
        var findings: [Finding] = []
        func apply(_ id: String, _ breach: Breach?) {
            if let breach { findings.append(Lint.finding(id, breach)) }
        }
        if checks {
            if mayRefuse(notification.payload, inferred.pushType) {
                findings += Lint.payloadFindings(notification.payload.bytes, request, notification.payload.reading)
                    .filter { LintRule.byID[$0.rule]?.stop == .refusal }
            }
            let ofCertificate = certificate?.findings(notification, inferred) ?? []
            findings += ofCertificate
            if ofCertificate.isEmpty { apply("topic-missing", TopicRules.isThere(request)) }
        }
        apply("topic-form", TopicRules.isWellFormed(request))
        apply("topic-length", TopicRules.isShort(request))
        apply("push-type-form", TopicRules.pushTypeIsAWord(request))
        if checks {
            apply("topic-push-type", TopicRules.fitsPushType(request))
            apply("push-type-payload", TopicRules.pushTypeIsThatOfPayload(request))
            apply("priority-known", HeaderRules.priorityIsKnown(request))
            apply("background-priority", HeaderRules.backgroundIsPowerAware(request))
            apply("collapse-id-length", HeaderRules.collapseIDFits(request))
            apply("expiration-form", HeaderRules.expirationIsInSeconds(request))
        }
        apply("collapse-id-form", HeaderRules.collapseIDIsPlain(request))
        return findings
    }

    /// Whether there is a reason to look at the payload itself.
    private static func mayRefuse(_ payload: PushPayload, _ type: PushType) -> Bool {
        payload.reading.obstacle != nil || payload.bytes.count > APNSLimit.payloadBytes(for: type)
            || type == .background && payload.reading.isVisible
    }
}
