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
            page: "docs/lint.md",
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
