internal import APNSVocabulary
internal import PushLint
import PushProvider

extension Explanation {
    /// The rules of the lint. Meaning and remedy come from the table of rules.
    static let rules: [Explanation] = LintRule.all.map { rule in
        Explanation(
            term: rule.id,
            kind: .rule,
            title: "\(rule.id): \(rule.title)",
            meaning: "\(rule.explanation)\n\n\(rule.consequence)",
            steps: [rule.remedy] + [RuleFlags.sentence(rule: rule.id)].compactMap(\.self),
            source: rule.source,
            page: "docs/pushsend-send.md#lint",
            aliases: rule.aliases
        )
    }
}

extension LintRule {
    fileprivate var consequence: String {
        switch severity {
        case .error: "An error: send and batch send nothing that breaks this rule, unless you give --no-lint."
        case .warning: "A warning: send and batch print it, and send."
        case .note: "A note: it may be intended."
        }
    }
}

/// The flags and subcommands with which to follow the advice of a rule.
enum RuleFlags {
    /// Returns which flag to use for one finding.
    ///
    /// - Parameters:
    ///   - rule: The id of the rule.
    ///   - subject: The part that the finding is about of the finding, such as `payload.apns-priority`.
    /// - Returns: A sentence; `nil` if the advice needs no flag.
    static func sentence(rule: String, subject: String) -> String? {
        guard rule == header else { return sentence(rule: rule) }
        // `payload.aps.priority`, `payload.headers.collapse_id`.
        let key = folded(subject.split(separator: ".").last ?? "")
        return headers.first { key == folded($0.name) || "apns\(key)" == folded($0.name) }.map { "Use \($0.flag)." }
    }

    /// Returns which flag to use for the rule in general.
    ///
    /// - Parameter rule: The id of the rule.
    /// - Returns: A sentence; `nil` if the advice needs no flag.
    static func sentence(rule: String) -> String? {
        switch rule {
        case header: "The flags are \(headers.map(\.flag).joined(separator: ", "))."
        case "placeholder-left": "\"pushsend batch\" sends campaigns."
        default: nil
        }
    }

    private static func folded(_ key: some StringProtocol) -> String { key.lowercased().filter(\.isLetter) }

    private static let header = "header-in-payload"

    private static let headers: [(name: String, flag: String)] = [
        (APNSHeader.topic, "--topic"), (APNSHeader.pushType, "--push-type"), (APNSHeader.priority, "--priority"),
        (APNSHeader.expiration, "--expires"), (APNSHeader.collapseID, "--collapse-id"),
    ]
}
