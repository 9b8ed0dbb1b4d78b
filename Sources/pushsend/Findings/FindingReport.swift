import PushCommandLine
internal import PushJSON
internal import PushLint
import PushProvider

/// Formats a finding in its payload as text, as JSON, and as a GitHub workflow command.
struct FindingReport {
    private let finding: PushFinding
    private let payload: LintedPayload
    private let wasMended: Bool

    init(_ finding: PushFinding, _ payload: LintedPayload, wasMended: Bool = false) {
        self.finding = finding
        self.payload = payload
        self.wasMended = wasMended
    }

    // MARK: For people

    /// The finding as compilers print it: position, severity, message and rule; then the source line, with the position marked.
    func text(colours: Bool) -> String {
        guard let location = finding.location, !wasMended else { return shortText(colours: colours) }
        // Two columns are for the ellipses.
        let width = min(SourceExcerpt.widest, max(20, (TerminalLines.terminal ?? 102) - 2))
        let excerpt = SourceExcerpt(of: location, in: payload.bytes, width: width)
        guard !excerpt.line.isEmpty else { return shortText(colours: colours) }
        return [shortText(colours: colours), excerpt.line, Colour.green.paint(excerpt.mark, colours)].joined(
            separator: "\n")
    }

    func shortText(colours: Bool = false) -> String {
        let position =
            finding.location.map { "\(payload.name.printable):\($0.line):\($0.column)" } ?? payload.name.printable
        let label = wasMended ? "fixed" : finding.severity.rawValue
        let subject = finding.location == nil ? "\(finding.subject): " : ""
        let advice = wasMended ? "" : " \(finding.adviceWithFlags)"
        return "\(Colour.bold.paint("\(position):", colours)) \(colour.paint("\(label):", colours)) "
            + PeerText.printable("\(subject)\(finding.problem)\(advice) [\(finding.rule)]", atMost: Self.longest)
    }

    /// The maximum length of a finding's message, in characters. The rest is cut.
    static let longest = 1000

    private var colour: Colour {
        if wasMended { return .green }
        return switch finding.severity {
        case .error: .red
        case .warning: .magenta
        case .note: .cyan
        }
    }

    // MARK: For programs

    var line: JSONLine {
        [
            "file": .string(payload.name), "line": finding.location.map { .integer($0.line) },
            "column": finding.location.map { .integer($0.column) },
            "offset": finding.location.map { .integer($0.bytes.lowerBound) },
            "length": finding.location.map { .integer($0.bytes.count) },
            "severity": .string(finding.severity.rawValue), "rule": .string(finding.rule),
            "path": .string(finding.subject), "problem": .string(finding.problem),
            "remedy": .string(finding.adviceWithFlags), "fixable": .bool(finding.isRepairable),
            "fixed": wasMended ? .bool(true) : nil,
        ]
    }

    /// The finding as a workflow command. GitHub shows it at its line in a pull request.
    var workflowCommand: String {
        var properties = [("file", payload.name)]
        if let location = finding.location {
            properties.append(("line", String(location.line)))
            properties.append(("col", String(location.column)))
        }
        properties.append(("title", finding.rule))
        let list = properties.map { "\($0.0)=\(Self.escaped($0.1, isProperty: true))" }.joined(separator: ",")
        let subject = finding.location == nil ? "\(finding.subject): " : ""
        let message =
            wasMended ? "Fixed: \(finding.problem)" : "\(subject)\(finding.problem) \(finding.adviceWithFlags)"
        return PeerText.printableLines("::\(command) \(list)::\(Self.escaped(message, isProperty: false))")
    }

    private var command: String {
        if wasMended { return "notice" }
        return switch finding.severity {
        case .error: "error"
        case .warning: "warning"
        case .note: "notice"
        }
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            case ":" where isProperty: "%3A"
            case "," where isProperty: "%2C"
            default: String(scalar)
            }
        }.joined()
    }
}

extension PushFinding {
    /// The advice, with the flag or subcommand to use.
    var adviceWithFlags: String { [advice, flags].compactMap(\.self).joined(separator: " ") }

    /// The subject, the problem and the advice, with the flag or subcommand to use.
    var textWithFlags: String { [description, flags].compactMap(\.self).joined(separator: " ") }

    private var flags: String? { RuleFlags.sentence(rule: rule, subject: subject) }
}

/// A payload as it is in its file, with the file name for its findings.
struct LintedPayload {
    /// The path as given.
    var name: String
    var bytes: [UInt8]
    /// Whether it has no file, so that the corrected payload is written to standard output.
    var isCorrectedToOutput = false

    /// Adds the properties of the payload to those of the request.
    ///
    /// The simulator's key gives the topic if none is given, except that of a broadcast, which has none. It is only for the simulator,
    /// and is not sent.
    func context(_ given: LintContext) -> LintContext {
        let composed = ComposedPayload(raw: bytes)
        var context = given
        context.topic = given.topic ?? (given.broadcast == nil ? composed.bundleID : nil)
        context.payloadByteCount = given.payloadByteCount ?? composed.payload.bytes.count
        return context
    }

    func findings(_ given: LintContext) -> [PushFinding] {
        PayloadLint.findings(in: bytes, context(given))
    }

    /// The findings for a payload that may be a template: a placeholder such as `"{{badge:number}}"` can have any value.
    func templateFindings(_ given: LintContext) -> [PushFinding] {
        PayloadLint.exceptPlaceholders(findings(given), in: bytes)
    }

    /// Makes the certain corrections. The properties of the request are read again after each round, because a correction may
    /// make the simulator's key readable.
    func repaired(_ given: LintContext) -> (payload: LintedPayload, mended: [PushFinding]) {
        var payload = self
        var mended: [PushFinding] = []
        while true {
            let repair = PayloadLint.repaired(payload.bytes, payload.context(given))
            guard !repair.mended.isEmpty else { return (payload, mended) }
            payload.bytes = repair.json
            mended += repair.mended
        }
    }
}
