import APNSVocabulary
import PushCampaign
import PushDelivery
import PushHTTP
import PushJSON
import PushLint
import PushPlatform
import PushProvider
import PushQueue

/// Checks pushes with the rules of the lint: an error refuses the push, a warning is returned with the answer.
struct EntryLint {
    let form: EntryForm
    let payloadStart: Int
    let templates: LastTemplate
    /// Whether the caller knows lines and columns: not those of an object that was made of a query.
    var hasPositions = true

    static let maximumFindings = 20

    /// The warnings about a push.
    ///
    /// - Throws: ``APIProblem`` for a push that Apple or the device refuses.
    func warnings(
        of job: NewQueueJob, _ details: PushDetails, now: QueueTime
    ) throws(APIProblem) -> [PushJSONValue] {
        var context = context(of: job, details, now)
        var unfilled: [UnfilledPlaceholder] = []
        let rendered = try job.variables.map { (variables) throws(APIProblem) in
            try self.rendered(job, variables, &unfilled)
        }
        // The size that counts is that of the finished payload.
        context.payloadByteCount = rendered?.count
        var findings = PayloadLint.findings(in: job.payload, context)
        if rendered != nil {
            findings = PayloadLint.exceptPlaceholders(findings, in: job.payload)
        } else {
            findings += PayloadLint.placeholderFindings(in: job.payload)
        }
        if case .channel = job.target, let topic = details.topic ?? details.defaultTopic {
            findings += BroadcastChecks.findings(bundleID: topic)
        }
        try refuse(findings, in: job.payload)
        // A finding's position is that in the finished payload. Only its path is the same in the template.
        if let rendered {
            try refuse(PayloadLint.findings(in: rendered, context), in: rendered, isRendered: true)
        }
        // The tree for the pointers is read only if there is something to point at.
        guard !findings.isEmpty else { return unfilled.map(value) }
        let tree = try? JSONReader.tree(job.payload)
        let warnings = unfilled.map(value) + findings.filter { $0.severity == .warning }.map { value($0, tree) }
        return Array(warnings.prefix(Self.maximumFindings))
    }

    /// Refuses a payload with a finding of severity error: as it was given, or as the values have made it.
    func refuse(
        _ findings: [PushFinding], in json: [UInt8], isRendered: Bool = false
    ) throws(APIProblem) {
        let errors = findings.filter { $0.severity == .error }
        guard let first = errors.first else { return }
        let tree = try? JSONReader.tree(json)
        var problem = APIProblem.impossible(
            first.problem, code: "payload_refused",
            field: field(of: first, tree) ?? (isRendered ? form.field("payload") : nil),
            at: isRendered ? form.position(ofByte: payloadStart) : position(of: first), remedy: first.advice)
        problem.more["findings"] = .array(
            errors.prefix(Self.maximumFindings).map { value($0, tree, hasPosition: !isRendered) })
        throw problem
    }

    private func context(of job: NewQueueJob, _ details: PushDetails, _ now: QueueTime) -> LintContext {
        var context = LintContext(
            topic: details.topic ?? details.defaultTopic, pushType: details.pushType, priority: details.priority,
            expiration: expiration(of: job, details), collapseID: details.collapseID, now: now.date)
        // A push for later has the times of its delivery.
        if case .at(let due) = job.due { context.now = max(now, due).date }
        if case .channel = job.target {
            // The topic becomes the bundle id in the path.
            (context.broadcast, context.topic) = (LintContext.Broadcast(), nil)
        }
        return context
    }

    /// How long Apple tries, as the push itself says. The app's `ttl` is for the time in the queue, so no push is told that it is long.
    private func expiration(of job: NewQueueJob, _ details: PushDetails) -> PushExpiration {
        guard !details.once else { return .once }
        switch job.expiry {
        case .at(let time) where expirationMember != nil: return .until(time.date)
        case .after(let duration) where expirationMember != nil: return .after(duration)
        case .never, .at, .after: return .apnsDefault
        }
    }

    /// The member with the expiration of the push, or of a campaign.
    private var expirationMember: String? {
        ["expires", "expires_at", "ttl"].first { form.value($0) != nil }
    }

    // MARK: Templates

    /// Makes the payload of a template, as the delivery will, so that values that do not fit are refused now.
    /// `unfilled` gets the placeholders with a default that probably have the name of an unused value.
    private func rendered(
        _ job: NewQueueJob, _ variables: [UInt8], _ unfilled: inout [UnfilledPlaceholder]
    ) throws(APIProblem) -> [UInt8] {
        let template = try rethrowing(try templates.template(job.payload)) { (error: PushTemplateError) in
            APIProblem.impossible(
                error.description, code: "payload_refused", field: form.field("payload"),
                at: form.position(ofByte: self.payloadStart))
        }
        if let values = try? JSONReader.tree(variables) {
            let given = Set(values.children(of: JSONTree.root).compactMap { values.key(of: $0) })
            if let missing = template.namesWithoutDefault.first(where: { !given.contains($0) }) {
                let shown = PeerText.printable(String(missing.prefix(100)))
                throw .impossible(
                    "The payload needs \"\(shown)\", but \"vars\" doesn't have it.", code: "missing_value",
                    field: form.field("vars"), at: position(ofValue: nil),
                    remedy: "Add the value, or give the placeholder a default: {{\(shown)|default}}.")
            }
            let unused = given.subtracting(template.names).sorted()
            if let problem = template.foreignPlaceholder(unused: unused) {
                throw .impossible(
                    problem, code: "payload_refused", field: form.field("payload"),
                    at: form.position(ofByte: self.payloadStart),
                    remedy: "Write the placeholder with two braces, or leave the value out.")
            }
            unfilled = template.unfilled(given: given, unused: unused).filter { $0.suggestion != nil }
        }
        do throws(PushTemplateError) {
            return try template.payload(variables: variables).bytes
        } catch {
            let name = error.name.map { "/\(JSONPointer.escaped(String($0.prefix(100))))" } ?? ""
            throw .impossible(
                error.description, code: "payload_refused", field: form.field("vars") + name,
                at: position(ofValue: error.name))
        }
    }

    /// The position of `vars` itself if there is no such value.
    private func position(ofValue name: String?) -> TextPosition? {
        guard let vars = form.value("vars") else { return nil }
        var place = vars.node
        // Of a repeated name, the last value counts.
        for child in form.tree.children(of: vars.node) where name != nil && form.tree.key(of: child) == name {
            place = child
        }
        return form.position(ofValue: place)
    }

    // MARK: Findings

    private func value(_ unfilled: UnfilledPlaceholder) -> PushJSONValue {
        .members([
            ("rule", .string("placeholder-without-value")), ("severity", .string("warning")),
            ("detail", .string("\"vars\" has no value for \(unfilled.placeholder), so its default is sent.")),
            ("field", .string(form.field("payload"))),
            ("remedy", .string("Did you mean \(unfilled.suggestion ?? unfilled.placeholder)?")),
        ])
    }

    private func value(_ finding: PushFinding, _ tree: JSONTree?, hasPosition: Bool = true) -> PushJSONValue {
        finding.value(field: field(of: finding, tree), at: hasPosition ? position(of: finding) : nil)
    }

    private func position(of finding: PushFinding) -> TextPosition? {
        guard hasPositions else { return nil }
        return finding.location.map { form.position(ofByte: payloadStart + $0.bytes.lowerBound) }
    }

    private func field(of finding: PushFinding, _ tree: JSONTree?) -> String? {
        if let location = finding.location {
            return form.field("payload") + (tree.map { JSONPointer.of(location.bytes, in: $0) } ?? "")
        }
        switch finding.subject {
        case BroadcastChecks.bundleID: return form.field("topic")
        case APNSHeader.expiration: return form.field(expirationMember ?? "once")
        default: return EntryReader.ofHeaders[finding.subject].map(form.field)
        }
    }
}

extension PushFinding {
    func value(field: String?, at position: TextPosition? = nil) -> PushJSONValue {
        .members([
            ("rule", .string(rule)), ("severity", .string(severity.rawValue)), ("detail", .string(problem)),
            ("field", field.map(PushJSONValue.string)), ("line", position.map { .integer($0.line) }),
            ("column", position.map { .integer($0.column) }), ("remedy", .string(advice)),
        ])
    }
}

/// The template that was read last, so that the same one is not read for each device.
final class LastTemplate {
    /// Whether the templates were accepted, perhaps by an earlier version with fewer rules.
    private let isStored: Bool
    private var bytes: [UInt8] = []
    private var last: PayloadTemplate?

    init(isStored: Bool = false) { self.isStored = isStored }

    func template(_ payload: [UInt8]) throws(PushTemplateError) -> PayloadTemplate {
        if let last, bytes == payload { return last }
        let template = isStored ? try PayloadTemplate(accepted: payload) : try PayloadTemplate(json: payload)
        (bytes, last) = (payload, template)
        return template
    }
}
