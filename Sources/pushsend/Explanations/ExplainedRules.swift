internal import PushLint
import PushProvider

extension Explanation {
    /// The rules of the lint. Meaning and remedy come from the table of rules.
    static let rules: [Explanation] = LintRule.all.map { rule in
        Explanation(
            word: rule.id,
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
        case .error: "An error: send and batch do not send what breaks it, unless --no-lint is given."
        case .warning: "A warning: send and batch tell it and send."
        case .note: "A note: it may well be meant."
        }
    }
}
