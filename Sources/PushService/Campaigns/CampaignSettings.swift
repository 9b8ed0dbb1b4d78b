import APNSVocabulary
import PushCampaign
import PushDelivery
import PushHTTP
import PushJSON
import PushLint
import PushPlatform
import PushProvider
import PushQueue
import PushTime

struct CampaignSettings {
    /// The payload for lines without their own one; `nil` if every line must have one.
    var payload: [UInt8]?
    /// `nil` for that of the app.
    var topic: String?
    var pushType: PushType?
    var priority: PushPriority?
    var collapseID: String?
    /// How long Apple and the queue keep a line, in the words of a line: `2h`, `once`.
    var expires: String?
    var queuePriority = QueuePriority.low
    /// The CSV column with the device tokens; `nil` to find it by its name.
    var tokenColumn: String?
    /// The audience whose devices are the lines; `nil` if the caller gives the lines.
    var audience: String?

    var encoded: [UInt8] {
        let members = PushJSONValue.members(membersWithoutPayload).encoded
        guard let payload else { return members }
        // The payload is kept byte for byte.
        return members.dropLast() + Array(",\"payload\":".utf8) + payload + [UInt8(ascii: "}")]
    }

    /// Settings with a note of what else a request with an idempotency key asked for. They are compared when it is repeated; the
    /// rate of the campaign itself may have been changed since.
    static func noting(
        _ rate: QueueCampaignRate?, hasLines: Bool, starts: Bool, in settings: [UInt8]
    ) -> [UInt8] {
        let request = PushJSONValue.members([
            ("rate", rate.map { .integer($0.perThousandSeconds) }), ("lines", .bool(hasLines)),
            ("start", .bool(starts)),
        ]).encoded
        return settings.dropLast() + Array(",\"request\":".utf8) + request + [UInt8(ascii: "}")]
    }

    /// What is doubtful for all lines: in their payload, their expiration, and a push type that may be newer than this program, or
    /// misspelt.
    ///
    /// - Parameter start: When the lines are sent.
    /// - Returns: The findings, as the answer shows them.
    func warnings(at start: QueueTime) -> [PushJSONValue] {
        let json = payload ?? Array("{}".utf8)
        let tree = try? JSONReader.tree(json)
        let context = LintContext(
            topic: topic, pushType: pushType, expiration: expires.flatMap { PushExpiration(text: $0) }, now: start.date)
        return PayloadLint.exceptPlaceholders(PayloadLint.findings(in: json, context), in: json)
            .filter { finding in
                finding.severity == .warning
                    && (finding.location == nil
                        ? finding.rule == "push-type-unknown" || finding.subject == APNSHeader.expiration
                        : payload != nil)
            }
            .prefix(EntryLint.maximumFindings)
            .map { finding in
                let place = finding.location.map { location in
                    "/payload" + (tree.map { JSONPointer.of(location.bytes, in: $0) } ?? "")
                }
                let member = EntryReader.ofHeaders[finding.subject].map { "/\($0)" }
                return finding.value(field: place ?? member ?? "")
            }
    }

    init() {}

    init?(encoded: [UInt8]) {
        guard let tree = try? JSONReader.tree(encoded), tree.nodes[JSONTree.root].kind == .object else {
            return nil
        }
        var texts: [String: String] = [:]
        for child in tree.children(of: JSONTree.root) {
            guard let key = tree.key(of: child) else { continue }
            if key == "payload" { payload = Array(tree.bytes[tree.range(of: child)]) }
            if let text = tree.text(of: child) { texts[key] = text }
            if key == "priority" { priority = tree.integer(of: child).flatMap { PushPriority(rawValue: $0) } }
        }
        (topic, collapseID, expires) = (texts["topic"], texts["collapse_id"], texts["expires"])
        pushType = texts["push_type"].map { PushType(rawValue: $0) }
        queuePriority = texts["queue_priority"].flatMap(QueuePriority.init(name:)) ?? .low
        (tokenColumn, audience) = (texts["token_column"], texts["audience"])
    }

    var members: [(String, PushJSONValue?)] { membersWithoutPayload + [("has_payload", .bool(payload != nil))] }

    private var membersWithoutPayload: [(String, PushJSONValue?)] {
        [
            ("topic", topic.map(PushJSONValue.string)), ("push_type", pushType.map { .string($0.rawValue) }),
            ("priority", priority.map { .integer($0.rawValue) }),
            ("collapse_id", collapseID.map(PushJSONValue.string)),
            ("expires", expires.map(PushJSONValue.string)), ("queue_priority", .string(queuePriority.name)),
            ("token_column", tokenColumn.map(PushJSONValue.string)), ("audience", audience.map(PushJSONValue.string)),
        ]
    }

    /// The defaults for the lines, like those of a campaign from a file.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - areStored: Whether the campaign was accepted before, perhaps by a version with fewer rules.
    /// - Returns: The defaults.
    /// - Throws: ``APIProblem`` for a setting that no line can have.
    func defaults(for app: AppSettings, areStored: Bool = false) throws(APIProblem) -> BatchDefaults {
        var defaults = BatchDefaults(
            topic: topic ?? app.topic ?? "", pushType: pushType, priority: priority,
            expiration: try expires.map { (text) throws(APIProblem) in try Self.expiration(text) },
            collapseID: collapseID, template: try template(isStored: areStored), tokenColumn: tokenColumn)
        defaults.takesUsers = true
        return defaults
    }

    private func template(isStored: Bool) throws(APIProblem) -> PayloadTemplate? {
        guard let payload else { return nil }
        return try rethrowing(isStored ? try PayloadTemplate(accepted: payload) : try PayloadTemplate(json: payload)) {
            (error: PushTemplateError) in
            APIProblem.impossible(error.description, code: "payload_refused", field: "/payload")
        }
    }

    static func expiration(_ text: String) throws(APIProblem) -> PushExpiration {
        guard let expiration = PushExpiration(text: text) else {
            throw .invalid(
                "\(String(text.prefix(100)).debugDescription) isn't an expiration.", field: "/expires",
                remedy: "Write once, apple, a duration such as 2h, or a time such as 2026-11-22T07:00:00Z.")
        }
        if let mistake = TimeChecks.mistake(inUnitOf: expiration.form) {
            throw .invalid(mistake.problem, field: "/expires", remedy: mistake.advice)
        }
        return expiration
    }
}
