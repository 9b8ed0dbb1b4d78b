/// Refuses notifications before they are sent, if they break a rule of the table ``Refusal/all``.
///
/// It runs for every notification. So it allocates nothing for a correct notification, and uses what was read when the
/// payload was created.
package enum Refusals {
    /// Returns the reasons to refuse a notification.
    ///
    /// - Parameters:
    ///   - notification: The notification to send.
    ///   - inferred: Its push type and priority.
    ///   - certificate: The certificate that it is sent with.
    ///   - checks: Whether to apply all rules; otherwise only the rules about notifications that cannot be encoded.
    /// - Returns: Findings, all of them errors; empty if the notification can be sent.
    package static func findings(
        _ notification: PushNotification, _ inferred: PushNotification.Inferred, certificate: CertificateCheck?,
        checks: Bool = true
    ) -> [PushFinding] {
        if certificate == nil, isPlainAlert(notification, inferred) { return [] }
        return examined(notification, inferred, certificate: certificate, checks: checks)
    }

    /// Whether this is a usual alert, which no rule refuses. Most notifications are usual alerts, and this check takes
    /// a quarter of the time of all rules. A test compares it with them.
    static func isPlainAlert(_ notification: PushNotification, _ inferred: PushNotification.Inferred) -> Bool {
        guard notification.collapseID == nil, inferred.typeOfTopic == nil, inferred.pushType == .alert,
            notification.payload.pushType == nil || notification.payload.pushType == .alert,
            !mayRefuse(notification.payload, .alert), TopicChecks.isPlain(notification.topic)
        else { return false }
        if case .until? = notification.expiration?.form { return false }
        switch notification.priority {
        case nil, .immediate?, .powerAware?: return true
        default: return false
        }
    }

    static func examined(
        _ notification: PushNotification, _ inferred: PushNotification.Inferred, certificate: CertificateCheck?,
        checks: Bool
    ) -> [PushFinding] {
        let request = CheckedRequest(notification, inferred)
        var findings: [PushFinding] = []
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
            guard let found = refusal.check?(request), !(isTopicKnownMissing && refusal.id == "topic-missing")
            else { continue }
            findings.append(found.finding(rule: refusal.id, severity: .error))
        }
        return findings
    }

    /// Whether the payload itself must be checked.
    private static func mayRefuse(_ payload: PushPayload, _ type: PushType) -> Bool {
        payload.reading.problem != nil || payload.bytes.count > APNSLimit.payloadBytes(for: type)
            || type == .background && payload.reading.isVisible
    }
}
