import PushCommandLine
internal import PushLint
import PushPlatform
import PushProvider

/// Checks a message against the lint rules before it is sent. Errors stop the command; warnings and notes are printed.
struct MessageCheck {
    private let composed: ComposedPayload
    private let payload: LintedPayload
    private let identity: PushIdentity?
    /// Whether the check is off. The client still refuses pushes that it cannot send.
    private let isOff: Bool

    /// Creates a check. The name is that of the payload file; `nil` if there is no file.
    init(_ composed: ComposedPayload, name: String?, _ identity: PushIdentity?, isOff: Bool) {
        self.composed = composed
        self.identity = identity
        self.isOff = isOff
        payload = LintedPayload(name: name ?? "", bytes: composed.source)
    }

    /// Refuses a payload that is not JSON.
    func refuseUnreadable() throws {
        guard !isOff, composed.payload.isUnreadable else { return }
        try refuse(PayloadLint.findings(in: composed.source))
    }

    /// Refuses a message that APNs or the device would reject.
    func refuseInvalid(_ notification: PushNotification) throws {
        guard !isOff else { return }
        var context = LintContext(notification)
        context.payloadByteCount = notification.payload.bytes.count
        let now = Date()
        context.now = now
        var findings = PayloadLint.findings(in: composed.source, context)
        if let identity {
            // With a certificate, other rules about the topic apply.
            let all = notification.findings(
                with: .identity(identity), secondsSince1970: Int(now.timeIntervalSince1970))
            findings = findings.filter { $0.location != nil } + all.filter { $0.location == nil }
        }
        findings += PayloadLint.placeholderFindings(in: composed.source)
        try refuse(findings)
    }

    /// Refuses a payload whose devices are not known.
    ///
    /// - Returns: The rules of the printed findings.
    func refuseInvalid(_ context: LintContext, isTemplate: Bool = false) throws -> Set<String> {
        guard !isOff else { return [] }
        let findings = isTemplate ? payload.templateFindings(context) : payload.findings(context)
        try refuse(findings)
        return Set(findings.map(\.rule))
    }

    private func refuse(_ findings: [PushFinding]) throws {
        for finding in findings { Output.note(painted: text(finding)) }
        if findings.contains(where: { $0.severity == .error }) {
            throw CommandFailure(.invalidInput, "")
        }
    }

    /// For a file, the finding with its position; on a terminal, errors also show the source line.
    private func text(_ finding: PushFinding) -> String {
        if !payload.name.isEmpty {
            let report = FindingReport(finding, payload)
            let isWhole = finding.severity == .error && Output.notesGoToTerminal
            let hasColours = Output.notesHaveColours
            return isWhole ? report.text(colours: hasColours) : report.shortText(colours: hasColours)
        }
        let severity = finding.severity == .error ? "" : "\(finding.severity.rawValue): "
        return "pushsend: \(severity)"
            + PeerText.printable(
                "\(position(finding)): \(finding.problem) \(finding.adviceWithFlags) [\(finding.rule)]",
                atMost: FindingReport.longest)
    }

    /// The subject of the finding, or line and column if the payload is not JSON.
    private func position(_ finding: PushFinding) -> String {
        guard composed.payload.isUnreadable, let location = finding.location else { return finding.subject }
        return "the payload isn't JSON at line \(location.line), column \(location.column)"
    }
}
