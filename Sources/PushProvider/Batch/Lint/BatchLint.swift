/// Holds the lines of a campaign against the whole table of rules.
///
/// Which rules of severity error a line breaks depends on nothing but the line and what holds for all of them: another run
/// finds the same. Only warnings look at the time.
struct BatchLint {
    /// Every line from the first was refused, and all by one rule: it is the campaign that is wrong, and not a line.
    struct CommonFault: Hashable {
        var lines: Int
        var finding: Finding
    }

    /// With what they are sent; `nil` where that is not known.
    private let credentials: PushCredentials?
    private let certificate: CertificateCheck?
    private let now: Int?
    private let found: BatchFindings
    /// The one that was looked at last; the next is often the same for another device.
    private var last: (notification: PushNotification, findings: [Finding])?

    /// The rules that each line from the first on has broken; `nil` when one has passed.
    private var brokenByAll: Set<String>?
    private var refused = 0

    /// So many lines tell that the fault is theirs in common.
    static let enough = 1000

    /// - Parameters:
    ///   - credentials: With what they are sent; `nil` where that is not known.
    ///   - found: Where findings are counted.
    ///   - isFirstRun: Whether the first line that it sees is the first of the campaign.
    ///   - now: For rules about times to come, in seconds since 1970; `nil` to leave them out.
    init(
        _ credentials: PushCredentials?, _ found: BatchFindings, isFirstRun: Bool = true,
        secondsSince1970 now: Int? = nil
    ) {
        self.credentials = credentials
        certificate = credentials?.certificate.map(CertificateCheck.init)
        self.now = now
        self.found = found
        brokenByAll = isFirstRun ? [] : nil
    }

    /// What is wrong with a line.
    ///
    /// - Parameters:
    ///   - notification: The line.
    ///   - isNew: Whether it has no outcome yet, and counts.
    /// - Returns: The findings.
    mutating func findings(in notification: PushNotification, isNew: Bool = true) -> [Finding] {
        let findings: [Finding]
        if let last, Self.areAlike(last, notification) {
            findings = last.findings
        } else {
            findings = Lint.findings(of: addressed(notification).settled, certificate, secondsSince1970: now)
            last = (notification, findings)
        }
        guard isNew else { return findings }
        if !findings.isEmpty, let row = notification.row { found.add(findings, row) }
        count(findings)
        return findings
    }

    private func addressed(_ notification: PushNotification) -> PushNotification {
        guard notification.topic.isEmpty, let credentials else { return notification }
        return notification.addressed(by: credentials)
    }

    /// Nothing that a rule looks at differs.
    private static func areAlike(
        _ last: (notification: PushNotification, findings: [Finding]), _ right: PushNotification
    ) -> Bool {
        let left = last.notification
        return left.topic == right.topic && left.pushType == right.pushType
            && left.priority == right.priority && left.expiration == right.expiration
            && left.collapseID == right.collapseID
            && (haveOneShape(last, right.payload) || left.payload == right.payload)
    }

    /// Where a line is refused its own places are told; and the size of each is its own.
    private static func haveOneShape(
        _ last: (notification: PushNotification, findings: [Finding]), _ payload: PushPayload
    ) -> Bool {
        guard let shape = payload.shape, shape === last.notification.payload.shape else { return false }
        return payload.bytes.count <= APNSLimit.payloadBytes(for: .alert)
            && !last.findings.contains { $0.severity == .error }
    }

    private mutating func count(_ findings: [Finding]) {
        guard let broken = brokenByAll else { return }
        let rules = Set(findings.lazy.filter { $0.severity == .error }.map(\.rule))
        let common = refused == 0 ? rules : broken.intersection(rules)
        brokenByAll = common.isEmpty ? nil : common
        refused += 1
    }

    /// Known when enough lines have shown it.
    var commonFault: CommonFault? {
        guard refused >= Self.enough, let broken = brokenByAll else { return nil }
        let finding = found.all.first { broken.contains($0.finding.rule) }
        return finding.map { CommonFault(lines: refused, finding: $0.finding) }
    }
}

extension [Finding] {
    /// Why it cannot be sent; `nil` when nothing forbids it.
    var refusal: String? {
        let errors = filter { $0.severity == .error }
        return errors.isEmpty ? nil : errors.map(\.description).joined(separator: " ")
    }
}
