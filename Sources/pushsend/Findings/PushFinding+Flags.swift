import PushProvider

extension PushFinding {
    /// The advice, with the flag or subcommand to use.
    var adviceWithFlags: String { [advice, flags].compactMap(\.self).joined(separator: " ") }

    /// The subject, the problem and the advice, with the flag or subcommand to use.
    var textWithFlags: String { [description, flags].compactMap(\.self).joined(separator: " ") }

    private var flags: String? { RuleFlags.sentence(rule: rule, subject: subject) }
}
