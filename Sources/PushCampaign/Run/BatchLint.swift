internal import NIOConcurrencyHelpers
internal import PushLint
public import PushProvider

/// Checks the lines of a campaign with all rules.
///
/// Whether a line breaks a rule of severity error depends only on the line and on the values for all lines, so another
/// run gets the same result. Only warnings depend on the time.
struct BatchLint {
    /// The credentials for sending the lines; `nil` if unknown.
    private let credentials: PushCredentials?
    private let certificate: CertificateCheck?
    private let now: Int?
    private let found: BatchFindings
    private let checksTokens: Bool
    /// The last notification that was checked. The next one is often the same for another device.
    private var last: Examined?
    private var clean = CleanShapeCache()

    /// A class, so that reading it does not copy a notification.
    private final class Examined: Sendable {
        let notification: PushNotification
        let findings: [PushFinding]

        init(_ notification: PushNotification, _ findings: [PushFinding]) {
            self.notification = notification
            self.findings = findings
        }
    }

    /// The rules that every line since the first has broken; `nil` once a line has passed.
    private var brokenByAll: Set<String>?
    private var refused = 0

    /// The only rule of severity error that depends on the time.
    private static let timedError = "expiration-past"
    /// After this many refused lines, with none that passed, the campaign itself is at fault.
    static let enough = 1000

    /// - Parameters:
    ///   - credentials: The credentials for sending the lines; `nil` if unknown.
    ///   - found: Collects the findings.
    ///   - checksTokens: Whether to check device tokens too. Use this if the lines are sent to Apple.
    ///   - isFirstRun: Whether the first line to check is the first line of the campaign.
    ///   - now: The current time for rules about times, in seconds since 1970; `nil` to skip these rules.
    init(
        _ credentials: PushCredentials?, _ found: BatchFindings, checksTokens: Bool = false, isFirstRun: Bool = true,
        secondsSince1970 now: Int? = nil
    ) {
        self.credentials = credentials
        certificate = credentials?.certificate.map(CertificateCheck.init)
        self.now = now
        self.found = found
        self.checksTokens = checksTokens
        brokenByAll = isFirstRun ? [] : nil
    }

    /// Checks one line.
    ///
    /// - Parameters:
    ///   - notification: The line.
    ///   - isNew: Whether the line has no outcome yet. Only then it is counted.
    /// - Returns: The findings.
    mutating func findings(in notification: PushNotification, isNew: Bool = true) -> [PushFinding] {
        var findings: [PushFinding]
        if let last, Self.areAlike(last, notification) {
            findings = last.findings
        } else {
            findings = examined(addressed(notification).settled)
            last = Examined(notification, findings)
        }
        if checksTokens { findings += PayloadLint.findings(in: notification.deviceToken) }
        if notification.row?.hasRawPayload == true {
            findings += PayloadLint.placeholderFindings(in: notification.payload.bytes)
        }
        guard isNew else { return findings }
        if !findings.isEmpty, let row = notification.row { found.add(findings, row) }
        count(findings)
        return findings
    }

    /// Reads the payload only if the result for its shape is not known.
    private mutating func examined(_ notification: PushNotification) -> [PushFinding] {
        let payload = notification.payload
        let request = PayloadLint.request(of: notification, secondsSince1970: now)
        // Whether a line has expired is judged once, when it is read for the first time.
        let ofHeaders = PayloadLint.headerFindings(of: notification, request, certificate)
            .filter { $0.rule != Self.timedError }
        if clean.contains(payload, request) { return ofHeaders }
        let ofPayload = PayloadLint.payloadFindings(payload.bytes, request, payload.reading)
        if ofPayload.isEmpty { clean.insert(payload, request) }
        return ofPayload + ofHeaders
    }

    private func addressed(_ notification: PushNotification) -> PushNotification {
        guard notification.topic.isEmpty, let credentials else { return notification }
        return notification.addressed(by: credentials)
    }

    /// Whether nothing that a rule checks differs.
    private static func areAlike(_ last: Examined, _ next: PushNotification) -> Bool {
        last.notification.topic == next.topic && last.notification.pushType == next.pushType
            && last.notification.priority == next.priority && last.notification.expiration == next.expiration
            && last.notification.collapseID == next.collapseID
            && (haveOneShape(last, next.payload) || last.notification.payload == next.payload)
    }

    /// A finding of severity error names its position, and each payload has its own size.
    private static func haveOneShape(_ last: Examined, _ payload: PushPayload) -> Bool {
        guard let shape = payload.shape, shape === last.notification.payload.shape,
            payload.bytes.count <= APNSLimit.payloadBytes(for: .alert)
        else { return false }
        return switch shape.reach {
        case .warnings: !last.findings.contains { $0.severity == .error }
        case .nothingFound: last.findings.isEmpty
        }
    }

    private mutating func count(_ findings: [PushFinding]) {
        guard let broken = brokenByAll else { return }
        let rules = Set(findings.lazy.filter { $0.severity == .error }.map(\.rule))
        let common = refused == 0 ? rules : broken.intersection(rules)
        brokenByAll = common.isEmpty ? nil : common
        refused += 1
    }

    /// A fault of the campaign, not of single lines: every line from the first was refused by the same rule. `nil` until enough lines
    /// have shown it.
    var commonFault: BatchStop? {
        guard refused >= Self.enough, let broken = brokenByAll,
            let finding = found.all.first(where: { broken.contains($0.finding.rule) })?.finding
        else { return nil }
        let lines = "Each of the first \(refused) lines was refused by the rule \(finding.rule)"
        return BatchStop(
            .lint,
            "\(lines), so the campaign itself breaks it: \(finding.problem) \(finding.advice) Nothing more was sent."
        )
    }
}

extension [PushFinding] {
    /// Why the notification cannot be sent; `nil` if it can be sent.
    var refusal: String? {
        let errors = filter { $0.severity == .error }
        return errors.isEmpty ? nil : errors.map(\.description).joined(separator: " ")
    }
}

/// Caches the payload shapes in which the lint found nothing, by push type.
///
/// Rules about payloads depend only on the payload, its size, and the push type.
struct CleanShapeCache {
    private struct Key: Hashable {
        var shape: ObjectIdentifier
        /// The push type; `nil` if it cannot be determined.
        var pushType: PushType?
    }

    /// The maximum number of shapes. Beyond it, all are removed and then found again.
    static let maximum = 2 * OutlinedPayloads.maximum

    /// The shapes, kept alive so that their identities stay unique.
    private var shapes: [Key: PayloadShape] = [:]

    func contains(_ payload: PushPayload, _ request: CheckedRequest) -> Bool {
        guard let shape = payload.shape, payload.bytes.count <= APNSLimit.payloadBytes(for: .alert) else {
            return false
        }
        return shapes[Key(shape: ObjectIdentifier(shape), pushType: request.pushType)] != nil
    }

    mutating func insert(_ payload: PushPayload, _ request: CheckedRequest) {
        guard let shape = payload.shape else { return }
        if shapes.count >= Self.maximum { shapes.removeAll() }
        shapes[Key(shape: ObjectIdentifier(shape), pushType: request.pushType)] = shape
    }
}

/// What one rule found in the lines of a campaign: the full finding for the first line, and the number of lines.
public struct BatchFinding: Sendable {
    /// What is wrong with the first line.
    public let finding: PushFinding
    /// The index of the file of the first line, from 0.
    public let file: Int
    /// The number of the first line in its file, or in the sequence, from 1.
    public let line: Int
    /// How many lines break the rule.
    public internal(set) var lines = 1
}

/// The findings so far. They can be read while lines are checked.
final class BatchFindings: Sendable {
    private struct State {
        var findings: [BatchFinding] = []
        var indices: [String: Int] = [:]
        var unfilled: [UnfilledPlaceholder] = []
    }

    private let state = NIOLockedValueBox(State())

    /// All findings, in the order in which they were found.
    var all: [BatchFinding] { state.withLockedValue { $0.findings } }

    /// The placeholders with a default that none of a stream's first lines has a value for.
    var unfilled: [UnfilledPlaceholder] {
        get { state.withLockedValue { $0.unfilled } }
        set { state.withLockedValue { $0.unfilled = newValue } }
    }

    /// Adds the findings of one line. Each rule counts once per line.
    func add(_ findings: [PushFinding], _ row: BatchRow) {
        state.withLockedValue { state in
            for finding in Self.oncePerRule(findings) {
                if let index = state.indices[finding.rule] {
                    state.findings[index].lines += 1
                } else {
                    state.indices[finding.rule] = state.findings.count
                    state.findings.append(BatchFinding(finding: finding, file: row.file, line: row.line))
                }
            }
        }
    }

    private static func oncePerRule(_ findings: [PushFinding]) -> [PushFinding] {
        var rules: Set<String> = []
        return findings.filter { rules.insert($0.rule).inserted }
    }
}
