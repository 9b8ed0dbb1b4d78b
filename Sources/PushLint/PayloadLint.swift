package import PushJSON
import PushPlatform
public import PushProvider

/// Checks payloads and headers with all rules: what Apple refuses, what a device ignores, and what is probably a mistake.
///
/// There are three levels of checks, with different cost:
///
/// - When a payload is created, it is read once: whether it is JSON, its size, whether it shows something. The result is stored in
///   the payload and shared by all its copies.
/// - For every notification that is sent, `PushClient` checks that result and the headers. It refuses a notification that Apple
///   always refuses, with `PushOutcome.invalid`. The library refuses notifications for no other finding.
/// - All rules, ``LintRule/all``, run only on request: ``PushProvider/PushNotification/findings()``,
///   ``PushProvider/PushPayload/findings(_:)``, ``findings(in:_:)``, and the commands `lint`, `send` and `batch`. They read the
///   payload again, faster than Foundation reads it. If you send one payload to many devices, check it once.
public enum PayloadLint {
    /// Returns all errors and probable mistakes in a payload.
    ///
    /// The text need not be JSON: mistakes in the JSON are found too, if they are certain.
    /// - Parameters:
    ///   - json: The text of the payload, as it is sent.
    ///   - context: The known parts of the request; without it, rules about headers do not apply.
    /// - Returns: The findings in the payload in the order of their positions, then those about headers.
    public static func findings(in json: [UInt8], _ context: LintContext = LintContext()) -> [PushFinding] {
        // Parse once, for the push type and for the rules.
        let tree = json.count <= maximumBytes ? PayloadFacts.tree(of: json) : nil
        let reading = PayloadFacts(of: tree)
        let request = CheckedRequest(context, reading)
        return payloadFindings(json, request, reading, tree: tree, sent: context.payloadByteCount)
            + requestFindings(request)
    }

    static func findings(
        of notification: PushNotification, _ certificate: CertificateCheck?, secondsSince1970 now: Int? = nil
    ) -> [PushFinding] {
        let request = request(of: notification, secondsSince1970: now)
        return payloadFindings(notification.payload.bytes, request, notification.payload.reading)
            + headerFindings(of: notification, request, certificate)
    }

    package static func request(of notification: PushNotification, secondsSince1970 now: Int?) -> CheckedRequest {
        var context = LintContext(notification)
        context.now = now.map { Date(timeIntervalSince1970: Double($0)) }
        return CheckedRequest(context, notification.payload.reading)
    }

    package static func headerFindings(
        of notification: PushNotification, _ request: CheckedRequest, _ certificate: CertificateCheck?
    ) -> [PushFinding] {
        let ofCertificate = certificate?.findings(notification, request.inferred) ?? []
        let ofRequest = requestFindings(request)
            .filter { $0.rule != "topic-missing" || ofCertificate.isEmpty }
        return ofCertificate + ofRequest
    }

    /// The maximum size of a text that is parsed, in bytes. For a longer text, only its size is checked.
    static let maximumBytes = PayloadChecks.maximumBytes

    // MARK: Headers

    private static let requestRules = LintRule.all.filter { rule in
        if case .request = rule.check { return true }
        return false
    }

    fileprivate static func requestFindings(_ request: CheckedRequest) -> [PushFinding] {
        requestRules.indices.compactMap { index in
            requestRules[index].check.finding(in: request).map { finding(requestRules[index].id, $0) }
        }
    }

    /// Returns the finding for a rule's finding outside the payload.
    static func finding(_ id: String, _ found: RuleFinding) -> PushFinding {
        found.finding(rule: id, severity: LintRule.byID[id]?.severity ?? .error)
    }

    // MARK: Payload

    private static let payloadRules = LintRule.all.filter { rule in
        if case .payload = rule.check { return true }
        return false
    }

    package static func payloadFindings(
        _ bytes: [UInt8], _ request: CheckedRequest, _ reading: PayloadFacts, tree: JSONTree? = nil, sent: Int? = nil
    ) -> [PushFinding] {
        guard bytes.count <= maximumBytes else { return oversized(bytes, request, sent) }
        let text = PayloadText(bytes, reading, tree)
        var findings = text.findings
        guard let tree = text.tree else { return findings + oversized(bytes, request, sent) }
        let subject = LintSubject(tree, request, byteCount: sent ?? bytes.count)
        // By their indices: a copy of a rule, or of its check in an array of checks, costs more than most checks.
        for index in payloadRules.indices {
            let all = payloadRules[index].check.findings(in: subject)
            if all.isEmpty { continue }
            for found in all.prefix(LintSubject.maximumFindings) {
                let finding = subject.finding(payloadRules[index], found)
                // A value with a mistake in it may have been read incorrectly.
                if text.isSound(finding.location) { findings.append(finding) }
            }
        }
        return findings.sortedByPosition
    }

    /// Returns all findings in a payload that can be repaired with certainty, without a limit.
    static func repairable(in tree: JSONTree, _ context: LintContext) -> [PushFinding] {
        let request = CheckedRequest(context, PayloadFacts(of: tree))
        let subject = LintSubject(tree, request, byteCount: tree.bytes.count, isForRepair: true)
        return payloadRules.flatMap { rule in
            rule.check.findings(in: subject).filter { !$0.edits.isEmpty }.map { subject.finding(rule, $0) }
        }
    }

    /// Returns a finding if the payload is too large. The size is checked for any bytes.
    private static func oversized(_ bytes: [UInt8], _ request: CheckedRequest, _ sent: Int?) -> [PushFinding] {
        PayloadChecks.tooLarge(sent ?? bytes.count, request).map { [finding("payload-too-large", $0)] } ?? []
    }
}

extension PushNotification {
    /// Returns all errors and probable mistakes in this notification; empty if there are none.
    ///
    /// All rules run, see ``PayloadLint``. A client refuses a notification only for the findings that Apple always refuses. The other
    /// findings, including errors, are for the caller.
    public func findings() -> [PushFinding] {
        PayloadLint.findings(of: settled, nil)
    }

    /// Returns all errors and probable mistakes in this notification if it is sent with these credentials; empty if there are none.
    ///
    /// An empty topic is replaced with the topic of the certificate for the push type, if there is exactly one.
    ///
    /// - Parameter credentials: The credentials to send it with.
    /// - Returns: The findings of ``findings()``, and those about the certificate.
    public func findings(with credentials: PushCredentials) -> [PushFinding] {
        findings(with: credentials, secondsSince1970: nil)
    }

    /// The same with the rules about times, which need the current one.
    package func findings(with credentials: PushCredentials, secondsSince1970 now: Int?) -> [PushFinding] {
        let addressed = topic.isEmpty ? addressed(by: credentials) : self
        return PayloadLint.findings(
            of: addressed.settled, credentials.certificate.map(CertificateCheck.init), secondsSince1970: now)
    }
}

extension PushPayload {
    /// Returns all errors and probable mistakes in this payload; empty if there are none.
    ///
    /// - Parameter context: The known parts of the request; without it, rules about headers do not apply.
    /// - Returns: The findings in the payload in the order of their positions, then those about headers.
    public func findings(_ context: LintContext = LintContext()) -> [PushFinding] {
        var context = context
        context.payloadPushType = context.payloadPushType ?? pushType
        let request = CheckedRequest(context, reading)
        return PayloadLint.payloadFindings(bytes, request, reading, sent: context.payloadByteCount)
            + PayloadLint.requestFindings(request)
    }
}

extension LintRule {
    /// All rules: first those about the text of the payload, then those about its contents, then those about headers.
    public static let all: [LintRule] =
        TextRules.rules + ShapeRules.rules + ForeignRules.rules + KeyRules.rules + TypeRules.rules + AlertRules.rules
        + SoundRules.rules
        + VisibilityRules.rules + LiveActivityRules.rules + TranslationRules.rules + KindRules.rules + TopicRules.rules
        + TopicShapeRules.rules + HeaderRules.rules
        + BroadcastRules.rules + CertificateRules.rules + DeviceRules.rules
        + PlaceholderRules.rules

    /// Returns the rule with this id or alias. Upper and lower case are equal.
    ///
    /// - Parameter name: An id such as `background-visible`, or an alias such as `L1`.
    /// - Returns: The rule; `nil` if there is none.
    public static func find(_ name: String) -> LintRule? {
        let name = name.lowercased()
        return byID[name] ?? all.first { $0.aliases.contains { $0.lowercased() == name } }
    }

    static let byID: [String: LintRule] = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}
