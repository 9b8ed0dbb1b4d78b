package import PushJSON
public import PushProvider

/// Holds payloads and headers against every rule that is known: what Apple refuses, what a device passes over, and what was
/// probably not meant.
///
/// Three circles of rules, by what they cost and what they decide:
///
/// - When a payload is made, it is read once: whether it is JSON, its size, whether it shows something. The reading is kept
///   with it and shared by all its copies.
/// - For every notification that is sent, ``PushClient`` looks at that reading and at the headers, and refuses what Apple
///   would refuse for certain, with ``PushError/findings``. That is all that stops a notification in the library.
/// - The whole table, ``LintRule/all``, runs where somebody asks for it: ``PushNotification/findings()``,
///   ``PushPayload/findings(_:)``, ``findings(in:_:)``, and the commands `lint`, `send` and `batch`. It reads the payload
///   anew, in less time than Foundation takes to read it. Whoever sends one payload to many devices asks once.
public enum Lint {
    /// Everything that is wrong with a payload, or probably not meant.
    ///
    /// The text need not be JSON: what keeps it from being JSON is found too, as far as it can be told for certain.
    /// - Parameters:
    ///   - json: The text of the payload, as it is sent.
    ///   - context: What is known of the request; without it rules about headers stay silent.
    /// - Returns: The findings in the payload in the order of their places, then those about headers.
    public static func findings(in json: [UInt8], _ context: LintContext = LintContext()) -> [Finding] {
        // Read once, for both: what kind it is, and what its values are.
        let tree = json.count <= mostBytes ? PayloadReading.tree(of: json) : nil
        let reading = PayloadReading(of: tree)
        let request = CheckedRequest(context, reading)
        return payloadFindings(json, request, reading, tree: tree, sent: context.payloadByteCount)
            + requestFindings(request)
    }

    static func findings(
        of notification: PushNotification, _ certificate: CertificateCheck?, secondsSince1970 now: Int? = nil
    ) -> [Finding] {
        let request = request(of: notification, secondsSince1970: now)
        return payloadFindings(notification.payload.bytes, request, notification.payload.reading)
            + headerFindings(of: notification, request, certificate)
    }

    package static func request(of notification: PushNotification, secondsSince1970 now: Int?) -> CheckedRequest {
        var context = LintContext(notification)
        context.secondsSince1970 = now
        return CheckedRequest(context, notification.payload.reading)
    }

    package static func headerFindings(
        of notification: PushNotification, _ request: CheckedRequest, _ certificate: CertificateCheck?
    ) -> [Finding] {
        let ofCertificate = certificate?.findings(notification, request.inferred) ?? []
        let ofRequest = requestFindings(request)
            .filter { $0.rule != "topic-missing" || ofCertificate.isEmpty }
        return ofCertificate + ofRequest
    }

    /// What is longer is no payload: it is not looked at, but for its size.
    static let mostBytes = PayloadChecks.mostBytes

    // MARK: Headers

    /// Checks by themselves: a rule is looked up only where one has found something.
    private static let requestRules: [(id: String, check: @Sendable (CheckedRequest) -> Breach?)] =
        LintRule.all.compactMap { rule in
            guard case .request(let check) = rule.check else { return nil }
            return (id: rule.id, check: check)
        }

    fileprivate static func requestFindings(_ request: CheckedRequest) -> [Finding] {
        requestRules.compactMap { id, check in check(request).map { finding(id, $0) } }
    }

    /// The finding for a breach without a place in a payload.
    static func finding(_ id: String, _ breach: Breach) -> Finding {
        breach.finding(rule: id, severity: LintRule.byID[id]?.severity ?? .error)
    }

    // MARK: Payload

    private static let payloadChecks: [@Sendable (LintSubject) -> [Breach]] = payloadRules.compactMap { rule in
        guard case .payload(let check) = rule.check else { return nil }
        return check
    }

    /// In the order of their checks.
    private static let payloadRules: [LintRule] = LintRule.all.filter { rule in
        if case .payload = rule.check { return true }
        return false
    }

    package static func payloadFindings(
        _ bytes: [UInt8], _ request: CheckedRequest, _ reading: PayloadReading, tree: JSONTree? = nil, sent: Int? = nil
    ) -> [Finding] {
        guard bytes.count <= mostBytes else { return oversized(bytes, request, sent) }
        let text = PayloadText(bytes, reading, tree)
        var findings = text.findings
        guard let tree = text.tree else { return findings + oversized(bytes, request, sent) }
        let subject = LintSubject(tree, request, byteCount: sent ?? bytes.count)
        for (index, check) in payloadChecks.enumerated() {
            let breaches = check(subject)
            if breaches.isEmpty { continue }
            for breach in breaches.prefix(LintSubject.mostFindings) {
                let finding = subject.finding(payloadRules[index], breach)
                // What was read in spite of a mistake need not be what was meant.
                if text.isSound(finding.location) { findings.append(finding) }
            }
        }
        return findings.inOrderOfPlaces
    }

    /// Everything in a payload that can be mended for certain, however much it is.
    static func repairable(in tree: JSONTree, _ context: LintContext) -> [Finding] {
        let request = CheckedRequest(context, PayloadReading(of: tree))
        let subject = LintSubject(tree, request, byteCount: tree.bytes.count, isForRepair: true)
        return payloadChecks.enumerated().flatMap { index, check in
            check(subject).filter { !$0.edits.isEmpty }.map { subject.finding(payloadRules[index], $0) }
        }
    }

    /// The size counts, whatever the bytes are.
    private static func oversized(_ bytes: [UInt8], _ request: CheckedRequest, _ sent: Int?) -> [Finding] {
        PayloadChecks.tooLarge(sent ?? bytes.count, request).map { [finding("payload-too-large", $0)] } ?? []
    }
}

extension PushNotification {
    /// What is wrong with this notification, or probably not meant; empty when all is well.
    ///
    /// All rules run, see ``Lint``. A client refuses only what Apple would refuse for certain; the other findings, errors among
    /// them, are for whoever asks.
    public func findings() -> [Finding] {
        Lint.findings(of: settled, nil)
    }

    /// What is wrong with this notification when it is sent with these credentials; empty when all is well.
    ///
    /// An empty topic means that of the certificate which is made for the push type, when there is exactly one.
    ///
    /// - Parameter credentials: With what it is to be sent.
    /// - Returns: The findings of ``findings()``, and those about the certificate.
    public func findings(with credentials: PushCredentials) -> [Finding] {
        let addressed = topic.isEmpty ? addressed(by: credentials) : self
        return Lint.findings(of: addressed.settled, credentials.certificate.map(CertificateCheck.init))
    }
}

extension PushPayload {
    /// What is wrong with this payload, or probably not meant; empty when all is well.
    ///
    /// - Parameter context: What is known of the request; without it rules about headers stay silent.
    /// - Returns: The findings in the payload in the order of their places, then those about headers.
    public func findings(_ context: LintContext = LintContext()) -> [Finding] {
        var context = context
        context.payloadPushType = context.payloadPushType ?? pushType
        let request = CheckedRequest(context, reading)
        return Lint.payloadFindings(bytes, request, reading, sent: context.payloadByteCount)
            + Lint.requestFindings(request)
    }
}
