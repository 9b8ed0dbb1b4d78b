internal import PushLint
import PushPlatform
import PushProvider

/// The rules that a message is held against before it is sent. What breaks one never leaves the machine; what is only odd is
/// told.
struct MessageCheck {
    private let spoken: SpokenPayload
    private let payload: LintedPayload
    private let identity: PushIdentity?
    /// Whether only that is refused which has no form on the wire, which the client does by itself.
    private let isOff: Bool

    /// The name is that of the file; `nil` for a payload that has none.
    init(_ spoken: SpokenPayload, name: String?, _ identity: PushIdentity?, isOff: Bool) {
        self.spoken = spoken
        self.identity = identity
        self.isOff = isOff
        payload = LintedPayload(name: name ?? "", bytes: spoken.source)
    }

    /// Refuses what is no payload at all.
    func refuseUnreadable() throws {
        guard !isOff, spoken.payload.isUnreadable else { return }
        try refuse(PayloadLint.findings(in: spoken.source))
    }

    /// Refuses what Apple or the device would refuse.
    func refuseInvalid(_ notification: PushNotification) throws {
        guard !isOff else { return }
        var context = LintContext(notification)
        context.payloadByteCount = notification.payload.bytes.count
        context.now = Date()
        var findings = PayloadLint.findings(in: spoken.source, context)
        if let identity {
            // The rules about the topic with a certificate stand in the place of those without.
            let all = notification.findings(with: .identity(identity))
            findings = findings.filter { $0.location != nil } + all.filter { $0.location == nil }
        }
        findings += PayloadLint.placeholderFindings(in: spoken.source)
        try refuse(findings)
    }

    /// The same for a payload of which it is not known who gets it.
    ///
    /// - Returns: The rules that were told.
    func refuseInvalid(_ context: LintContext) throws -> Set<String> {
        guard !isOff else { return [] }
        let findings = payload.findings(context)
        try refuse(findings)
        return Set(findings.map(\.rule))
    }

    private func refuse(_ findings: [PushFinding]) throws {
        for finding in findings { Output.note(painted: text(finding)) }
        if findings.contains(where: { $0.severity == .error }) {
            throw CommandFailure(status: .invalidInput, message: "")
        }
    }

    /// Of a file, the place in it; on a terminal an error also has its line.
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

    /// What is no JSON has no other place than line and column.
    private func position(_ finding: PushFinding) -> String {
        guard spoken.payload.isUnreadable, let location = finding.location else { return finding.subject }
        return "the payload is not JSON at line \(location.line), column \(location.column)"
    }
}
