import PushCampaign
import PushDelivery
import PushJSON
import PushLint
import PushPlatform
import PushProvider
import PushQueue

/// Checks pushes with the rules of the lint: an error refuses the push, a warning is returned with the answer.
struct EntryLint {
    let form: EntryForm
    /// Where the payload begins in the request.
    let payload: Int

    /// The maximum number of findings in an answer.
    private static let mostFindings = 20

    /// The warnings about a push.
    ///
    /// - Throws: ``APIProblem`` for a push that Apple or the device refuses.
    func warnings(
        of job: NewQueueJob, _ details: PushDetails, _ app: AppSettings, now: QueueTime
    ) throws(APIProblem) -> [PushJSONValue] {
        if let variables = job.variables { try checkTemplate(job.payload, variables) }
        var findings = PayloadLint.findings(in: job.payload, context(of: job, details, app, now))
        if job.variables != nil {
            findings = PayloadLint.exceptPlaceholders(findings, in: job.payload)
        } else {
            findings += PayloadLint.placeholderFindings(in: job.payload)
        }
        // The tree for the pointers is read only if there is something to point at.
        guard !findings.isEmpty else { return [] }
        let tree = try? JSONReader.tree(job.payload)
        let errors = findings.filter { $0.severity == .error }
        if let first = errors.first {
            var problem = APIProblem.impossible(
                first.problem, code: "payload_refused", field: field(of: first, tree), at: position(of: first),
                remedy: first.advice)
            problem.more["findings"] = .array(errors.prefix(Self.mostFindings).map { value($0, tree) })
            throw problem
        }
        return findings.filter { $0.severity == .warning }.prefix(Self.mostFindings).map { value($0, tree) }
    }

    private func context(
        of job: NewQueueJob, _ details: PushDetails, _ app: AppSettings, _ now: QueueTime
    ) -> LintContext {
        var context = LintContext(
            topic: details.topic ?? app.topic, pushType: details.pushType, priority: details.priority,
            collapseID: details.collapseID, now: now.date)
        if case .channel = job.target {
            // The topic becomes the bundle id in the path.
            (context.broadcast, context.topic) = (LintContext.Broadcast(), nil)
        }
        // What a template becomes is not known here.
        if job.variables != nil { context.payloadByteCount = 0 }
        return context
    }

    // MARK: Templates

    private func checkTemplate(_ payload: [UInt8], _ variables: [UInt8]) throws(APIProblem) {
        let template: PayloadTemplate
        do throws(PushTemplateError) {
            template = try PayloadTemplate(json: payload)
        } catch {
            throw .impossible(
                error.description, code: "payload_refused", field: form.field("payload"),
                at: form.position(of: self.payload))
        }
        guard let values = try? JSONReader.tree(variables) else { return }
        let given = Set(values.children(of: JSONTree.root).compactMap { values.key(of: $0) })
        let optional = Self.namesWithDefault(in: payload)
        if let missing = template.names.first(where: { !given.contains($0) && !optional.contains($0) }) {
            let shown = String(missing.prefix(100))
            throw .impossible(
                "The payload needs \(shown.debugDescription), but \"vars\" does not have it.",
                code: "missing_value",
                field: form.field("vars"),
                at: form.value("vars").map {
                    form.position(of: form.tree.range(of: $0).lowerBound)
                }, remedy: "Add the value, or give the placeholder a default: {{\(shown)|default}}.")
        }
    }

    /// The names of placeholders that have a default wherever they occur: `{{name|default}}`.
    private static func namesWithDefault(in payload: [UInt8]) -> Set<String> {
        var (with, without): (Set<String>, Set<String>) = ([], [])
        let pieces = String(decoding: payload, as: UTF8.self).split(
            separator: "{{", omittingEmptySubsequences: false)
        for piece in pieces.dropFirst() {
            guard let end = piece.firstRange(of: "}}") else { continue }
            let inside = piece[..<end.lowerBound]
            let head = inside.prefix { $0 != "|" }
            let name = head.prefix { $0 != ":" }.filter { $0 != " " }
            if head.endIndex < inside.endIndex { with.insert(name) } else { without.insert(name) }
        }
        return with.subtracting(without)
    }

    // MARK: Findings

    private func value(_ finding: PushFinding, _ tree: JSONTree?) -> PushJSONValue {
        let position = position(of: finding)
        return .members([
            ("rule", .string(finding.rule)), ("severity", .string(finding.severity.rawValue)),
            ("detail", .string(finding.problem)), ("field", field(of: finding, tree).map(PushJSONValue.string)),
            ("line", position.map { .integer($0.line) }), ("column", position.map { .integer($0.column) }),
            ("remedy", .string(finding.advice)),
        ])
    }

    private func position(of finding: PushFinding) -> TextPosition? {
        finding.location.map { form.position(of: payload + $0.bytes.lowerBound) }
    }

    private func field(of finding: PushFinding, _ tree: JSONTree?) -> String? {
        if let location = finding.location {
            return form.field("payload") + (tree.map { JSONPointer.of(location.bytes, in: $0) } ?? "")
        }
        switch finding.subject {
        case "apns-topic": return form.field("topic")
        case "apns-push-type": return form.field("push_type")
        case "apns-priority": return form.field("priority")
        case "apns-collapse-id": return form.field("collapse_id")
        case "apns-expiration": return form.field("expires_at")
        default: return nil
        }
    }
}
