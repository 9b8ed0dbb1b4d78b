/// What a client refuses before it sends: what breaks a rule of the table ``Refusal/all``.
///
/// It runs for every notification, so it allocates nothing where nothing is wrong, and looks at the payload only through
/// what was read when the payload was made.
package enum Refusals {
    /// - Parameters:
    ///   - notification: What is to be sent.
    ///   - inferred: Its push type and priority.
    ///   - certificate: The certificate that it is sent with.
    ///   - checks: Whether what Apple refuses is refused; otherwise only what has no form on the wire is.
    /// - Returns: Findings, all of them errors; empty when it may go.
    package static func findings(
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
            !mayRefuse(notification.payload, .alert), TopicChecks.isPlain(notification.topic)
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
        let request = CheckedRequest(notification, inferred)
        var findings: [Finding] = []
        var isTopicKnownMissing = false
        if checks {
            if mayRefuse(notification.payload, inferred.pushType) {
                findings += PayloadChecks.findings(notification.payload, request)
            }
            let ofCertificate = certificate?.findings(notification, inferred) ?? []
            findings += ofCertificate
            isTopicKnownMissing = !ofCertificate.isEmpty
        }
        for refusal in Refusal.ofHeaders where checks || refusal.isImpossible {
            guard let breach = refusal.check?(request), !(isTopicKnownMissing && refusal.id == "topic-missing")
            else { continue }
            findings.append(breach.finding(rule: refusal.id, severity: .error))
        }
        return findings
    }

    /// Whether there is a reason to look at the payload itself.
    private static func mayRefuse(_ payload: PushPayload, _ type: PushType) -> Bool {
        payload.reading.obstacle != nil || payload.bytes.count > APNSLimit.payloadBytes(for: type)
            || type == .background && payload.reading.isVisible
    }
}
