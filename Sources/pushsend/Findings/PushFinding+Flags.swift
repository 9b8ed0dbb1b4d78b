import PushProvider

extension PushFinding {
    /// The advice, and the flag or subcommand that follows it.
    var adviceWithFlags: String { [advice, flags].compactMap(\.self).joined(separator: " ") }

    /// Place, problem and advice, and the flag or subcommand that follows it.
    var textWithFlags: String { [description, flags].compactMap(\.self).joined(separator: " ") }

    private var flags: String? { RuleFlags.sentence(rule: rule, subject: subject) }
}
