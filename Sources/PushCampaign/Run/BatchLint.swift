internal import PushLint
internal import PushProvider

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
    private let looksAtTokens: Bool
    /// The one that was looked at last; the next is often the same for another device.
    private var last: Examined?
    private var clean = CleanShapes()

    /// A class, because a look at it must not copy a notification.
    private final class Examined: Sendable {
        let notification: PushNotification
        let findings: [Finding]

        init(_ notification: PushNotification, _ findings: [Finding]) {
            self.notification = notification
            self.findings = findings
        }
    }

    /// The rules that each line from the first on has broken; `nil` when one has passed.
    private var brokenByAll: Set<String>?
    private var refused = 0

    /// So many lines tell that the fault is theirs in common.
    static let enough = 1000

    /// - Parameters:
    ///   - credentials: With what they are sent; `nil` where that is not known.
    ///   - found: Where findings are counted.
    ///   - looksAtTokens: Whether device tokens are looked at too, as where they are sent to Apple.
    ///   - isFirstRun: Whether the first line that it sees is the first of the campaign.
    ///   - now: For rules about times to come, in seconds since 1970; `nil` to leave them out.
    init(
        _ credentials: PushCredentials?, _ found: BatchFindings, looksAtTokens: Bool = false, isFirstRun: Bool = true,
        secondsSince1970 now: Int? = nil
    ) {
        self.credentials = credentials
        certificate = credentials?.certificate.map(CertificateCheck.init)
        self.now = now
        self.found = found
        self.looksAtTokens = looksAtTokens
        brokenByAll = isFirstRun ? [] : nil
    }

    /// What is wrong with a line.
    ///
    /// - Parameters:
    ///   - notification: The line.
    ///   - isNew: Whether it has no outcome yet, and counts.
    /// - Returns: The findings.
    mutating func findings(in notification: PushNotification, isNew: Bool = true) -> [Finding] {
        var findings: [Finding]
        if let last, Self.areAlike(last, notification) {
            findings = last.findings
        } else {
            findings = examined(addressed(notification).settled)
            last = Examined(notification, findings)
        }
        if looksAtTokens { findings += Lint.findings(in: notification.deviceToken) }
        guard isNew else { return findings }
        if !findings.isEmpty, let row = notification.row { found.add(findings, row) }
        count(findings)
        return findings
    }

    /// The payload is read only when nothing is known of its shape.
    private mutating func examined(_ notification: PushNotification) -> [Finding] {
        let payload = notification.payload
        let request = Lint.request(of: notification, secondsSince1970: now)
        let ofHeaders = Lint.headerFindings(of: notification, request, certificate)
        if clean.contains(payload, request) { return ofHeaders }
        let ofPayload = Lint.payloadFindings(payload.bytes, request, payload.reading)
        if ofPayload.isEmpty { clean.insert(payload, request) }
        return ofPayload + ofHeaders
    }

    private func addressed(_ notification: PushNotification) -> PushNotification {
        guard notification.topic.isEmpty, let credentials else { return notification }
        return notification.addressed(by: credentials)
    }

    /// Nothing that a rule looks at differs.
    private static func areAlike(_ last: Examined, _ next: PushNotification) -> Bool {
        last.notification.topic == next.topic && last.notification.pushType == next.pushType
            && last.notification.priority == next.priority && last.notification.expiration == next.expiration
            && last.notification.collapseID == next.collapseID
            && (haveOneShape(last, next.payload) || last.notification.payload == next.payload)
    }

    /// An error is described with its place, and the size of each payload is its own.
    private static func haveOneShape(_ last: Examined, _ payload: PushPayload) -> Bool {
        guard let shape = payload.shape, shape === last.notification.payload.shape,
            payload.bytes.count <= APNSLimit.payloadBytes(for: .alert)
        else { return false }
        return switch shape.reach {
        case .warnings: !last.findings.contains { $0.severity == .error }
        case .nothingFound: last.findings.isEmpty
        }
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
