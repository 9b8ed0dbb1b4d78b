internal import PushJSON
internal import PushProvider

/// Rules about the types of values: the type that Apple documents for each key.
enum TypeRules {
    static let rules: [LintRule] = [
        LintRule(
            "wrong-type", .error, title: "Values have the type that Apple documents",
            explanation: "If a value has another type, the system ignores it, or ignores the whole alert.",
            remedy: "Use the documented type.", source: RuleSource.payload, check: .payload(type)),
        LintRule(
            "null-value", .warning, title: "A key without a value is omitted",
            explanation: "Some encoders write null for a missing value. Apple documents null only for action-loc-key.",
            remedy: "Remove the key.", source: RuleSource.payload, check: .payload(null)),
        LintRule(
            "badge-number", .error, aliases: ["L10"], title: "The badge is a whole number, not negative",
            explanation: "The system shows it on the app's icon; 0 removes it. A string is ignored.",
            remedy: "Write a number; 0 removes the badge.", source: RuleSource.payload, check: .single(badge)),
        LintRule(
            "flag-form", .warning, aliases: ["L14"], title: "content-available and mutable-content are the number 1",
            explanation: """
                Apple documents the number 1, also for input-push-token and critical; content-changed of widgets and controls is \
                true. Other values sometimes work, but not in every version.
                """,
            remedy: "Write 1, or remove the key.", source: RuleSource.payload, check: .payload(flags)),
    ]

    // MARK: Rules

    static func type(_ subject: LintSubject) -> [RuleFinding] {
        var findings: [RuleFinding] = []
        for key in KnownKey.all {
            guard let node = subject[key], key.form != .special else { continue }
            let tree = subject.tree
            // A sound in an ordinary alert is reported as misplaced.
            guard tree.nodes[node].kind != .null, key != .alertSound || subject.isLiveActivity else { continue }
            if !fits(node, key.form, subject) {
                findings.append(
                    RuleFinding(
                        .value(node),
                        "\"\(key.name)\" is \(tree.nodes[node].kind.noun); Apple documents \(key.form.name).",
                        advice(key)))
            } else if key.form == .texts {
                for element in tree.children(of: node) where tree.nodes[element].kind != .string {
                    findings.append(
                        RuleFinding(
                            .value(element),
                            "\"\(key.name)\" contains \(tree.nodes[element].kind.noun); Apple documents an array of strings.",
                            "Put it in quotation marks."))
                }
            }
        }
        return findings
    }

    static func null(_ subject: LintSubject) -> [RuleFinding] {
        KnownKey.all.compactMap { key in
            guard let node = subject[key], subject.tree.nodes[node].kind == .null, key != .actionLocKey,
                !subject.requires(key)
            else { return nil }
            return RuleFinding(.value(node), "\"\(key.name)\" is null.", "Remove the key.")
        }
    }

    static func badge(_ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[.badge], subject.tree.nodes[node].kind != .null else { return nil }
        let advice = "Write a whole number; 0 removes the badge."
        guard let number = subject.tree.number(of: node) else {
            let text = subject.tree.text(of: node) ?? ""
            let meant = Int(text).flatMap { $0 >= 0 && String($0) == text ? text : nil }
            return RuleFinding(
                .value(node), "The badge is \(subject.tree.nodes[node].kind.noun), not a number.", advice,
                edits: meant.map { [JSONEdit(subject.tree.range(of: node), $0)] } ?? [])
        }
        if number < 0 { return RuleFinding(.value(node), "The badge is negative.", advice) }
        if number != number.rounded() { return RuleFinding(.value(node), "The badge isn't a whole number.", advice) }
        if isTooLarge(number, subject.tree.spelling(of: node)) {
            return RuleFinding(
                .value(node), "The badge is greater than 9223372036854775807, the largest integer.", advice)
        }
        return nil
    }

    /// Whether a whole number is greater than the largest that a device reads. As a `Double`, that one is 2^63, too.
    static func isTooLarge(_ number: Double, _ spelling: some StringProtocol) -> Bool {
        number >= 0x1p63 && Int64(spelling) == nil
    }

    static func flags(_ subject: LintSubject) -> [RuleFinding] {
        let flags: [KnownKey] = [.contentAvailable, .mutableContent, .inputPushToken, .critical]
        return flags.compactMap { flag($0, subject) } + [contentChanged(subject)].compactMap { $0 }
    }

    private static func flag(_ key: KnownKey, _ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[key], subject.tree.nodes[node].kind != .null else { return nil }
        // Reported as missing.
        if subject.requires(key), VisibilityRules.off.contains(subject.tree.spelling(of: node)) { return nil }
        switch subject.tree.spelling(of: node) {
        case "1": return nil
        case "0":
            // "critical":0 is documented.
            return key == .critical
                ? nil : RuleFinding(.value(node), "\"\(key.name)\" is 0, which has no effect.", "Remove the key.")
        case "true", "\"1\"", "1.0", "\"true\"":
            return RuleFinding(
                .value(node), "\"\(key.name)\" is \(subject.tree.spelling(of: node)); Apple documents the number 1.",
                "Write 1.", edits: [JSONEdit(subject.tree.range(of: node), "1")])
        case "false", "\"0\"", "\"false\"":
            return RuleFinding(
                .value(node), "\"\(key.name)\" is \(subject.tree.spelling(of: node)).", "Remove the key.")
        default:
            // A number or a string may still work; an object or an array does not.
            let isOther = [.object, .array].contains(subject.tree.nodes[node].kind)
            return RuleFinding(
                .value(node), "\"\(key.name)\" isn't the number 1.", "Write 1, or remove the key.",
                severity: isOther ? .error : nil)
        }
    }

    private static func contentChanged(_ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[.contentChanged], subject.tree.nodes[node].kind != .null else { return nil }
        let spelling = subject.tree.spelling(of: node)
        guard spelling != "true" else { return nil }
        let isMeant = ["1", "\"true\"", "\"1\""].contains(spelling)
        return RuleFinding(
            .value(node), "\"content-changed\" isn't true.", "Write true.",
            edits: isMeant ? [JSONEdit(subject.tree.range(of: node), "true")] : [])
    }

    // MARK: Forms

    private static func fits(_ node: Int, _ form: KnownKey.Form, _ subject: LintSubject) -> Bool {
        let kind = subject.tree.nodes[node].kind
        return switch form {
        case .text, .textOrNull: kind == .string
        case .number: kind == .number
        case .object: kind == .object
        case .texts: kind == .array
        case .alert, .sound: kind == .object || kind == .string
        case .localText: kind == .string || kind == .object && subject.isLiveActivity
        case .special: true
        }
    }

    private static func advice(_ key: KnownKey) -> String {
        switch key.form {
        case .text, .localText, .textOrNull: "Put it in quotation marks, or remove the key."
        case .number: "Write it without quotation marks."
        case .texts: "Write [\"one\",\"two\"]."
        default: "Use the documented type."
        }
    }
}
