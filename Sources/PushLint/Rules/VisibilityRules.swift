internal import PushJSON
internal import PushProvider

/// Rules about visible notifications and background notifications.
enum VisibilityRules {
    static let rules: [LintRule] = [
        LintRule(
            "background-visible", .error, aliases: ["L1"],
            title: "A background notification has no alert, badge or sound",
            explanation: "It wakes the app and shows nothing. With visible content, Apple drops or delays it.",
            remedy: "Remove them, or use push type alert.", source: RuleSource.background,
            check: .single(backgroundIsSilent)),
        LintRule(
            "background-content-available", .error, title: "A background notification has content-available 1",
            explanation: "Without it, the system neither wakes the app nor shows anything.",
            remedy: "Add \"content-available\":1 to aps.", source: RuleSource.background,
            check: .single(backgroundWakes)),
        LintRule(
            "content-available-as-alert", .warning, aliases: ["L3", "L20"],
            title: "content-available alone has push type background",
            explanation: """
                With push type alert and nothing to show, the notification may be dropped. content-available together with an \
                alert is allowed; then the push type is alert.
                """,
            remedy: "Use push type background, and priority 5.", source: RuleSource.sending,
            check: .single(silentAlert)),
        LintRule(
            "nothing-visible", .warning, aliases: ["L4"], title: "An alert has something to see or hear",
            explanation: "APNs accepts the notification, but nothing happens on the device.",
            remedy: "Add an alert, a badge or a sound to aps.", source: RuleSource.payload,
            check: .single(nothingVisible)),
        LintRule(
            "mutable-without-alert", .warning, aliases: ["L5"], title: "mutable-content needs an alert",
            explanation: """
                The service extension runs only if a title, a subtitle or a body is shown. It doesn't run for a badge, a \
                sound or a background notification.
                """,
            remedy: "Add an alert. The extension may replace its text.", source: RuleSource.extensions,
            check: .single(mutable)),
        LintRule(
            "category-without-alert", .warning, aliases: ["L6"], title: "A category needs an alert",
            explanation: "The buttons and the interface of a category appear only with an alert.",
            remedy: "Add an alert, or remove the category.", source: RuleSource.reference, check: .single(category)),
        LintRule(
            "attachment-without-alert", .warning, title: "An attachment needs an alert",
            explanation: """
                The service extension loads the attachment. It runs only with mutable-content and an alert. The lint \
                recognizes the custom key of an attachment by its name and its URL.
                """,
            remedy: "Add an alert and \"mutable-content\":1.", source: RuleSource.extensions,
            check: .single(attachment)),
    ]

    static func backgroundIsSilent(_ subject: LintSubject) -> RuleFinding? {
        guard let aps = subject[.aps] else { return nil }
        return PayloadChecks.backgroundIsSilent(subject.tree, aps: aps, subject.type)
    }

    static func backgroundWakes(_ subject: LintSubject) -> RuleFinding? {
        guard subject.requires(.contentAvailable) else { return nil }
        if let node = subject[.contentAvailable], subject.isGiven(.contentAvailable) {
            let text = subject.tree.spelling(of: node)
            guard off.contains(text) else { return nil }
            return RuleFinding(
                .value(node), "\"content-available\" is \(text), but a background notification needs 1.", "Write 1."
            )
        }
        if KeyRules.areMisspelt([.contentAvailable], subject) { return nil }
        return RuleFinding(
            subject[.aps].map { .value($0) } ?? .payload, "A background notification needs \"content-available\".",
            "Add \"content-available\":1 to \"aps\".")
    }

    /// The spellings of a flag that is off.
    static let off = ["0", "false", "\"0\"", "\"false\""]

    static func silentAlert(_ subject: LintSubject) -> RuleFinding? {
        guard subject.type == .alert, subject.isGiven(.contentAvailable), let node = subject[.contentAvailable],
            !isVisible(subject)
        else { return nil }
        return RuleFinding(
            .key(node), "The push type is alert, but the payload has only \"content-available\".",
            "Use push type background and priority 5, or add an alert.")
    }

    static func nothingVisible(_ subject: LintSubject) -> RuleFinding? {
        guard subject.type == .alert, !isVisible(subject), !subject.isGiven(.contentAvailable), !subject.isForWallet
        else { return nil }
        // An empty object is valid: it makes a Wallet pass update itself.
        let isEmpty = subject.tree.nodes.count == 1
        guard !isEmpty, !isReportedByOtherRule(subject), !KeyRules.areMisspelt([.alert, .badge, .sound], subject) else {
            return nil
        }
        return RuleFinding(
            subject[.aps].map { .value($0) } ?? .payload, "There is nothing to see or hear.",
            "Add an alert, a badge or a sound to \"aps\".")
    }

    /// Whether another rule reports the cause.
    private static func isReportedByOtherRule(_ subject: LintSubject) -> Bool {
        ShapeRules.nestedAps(subject) != nil || ForeignRules.form(subject) != nil
            || ForeignRules.outside(subject) != nil || !LiveActivityRules.type(subject).isEmpty
    }

    static func mutable(_ subject: LintSubject) -> RuleFinding? {
        guard subject.isGiven(.mutableContent), let node = subject[.mutableContent], !subject.hasText,
            subject.mayAlert || subject.type == .background
        else { return nil }
        return RuleFinding(
            .key(node), "\"mutable-content\" has no effect without an alert: the service extension doesn't run.",
            "Add an alert. The extension may replace its text.")
    }

    static func category(_ subject: LintSubject) -> RuleFinding? {
        guard subject.isGiven(.category), let node = subject[.category], !subject.hasText,
            subject.mayAlert || subject.type == .background
        else { return nil }
        return RuleFinding(
            .key(node), "\"category\" has no effect without an alert.", "Add an alert, or remove the category.")
    }

    static func attachment(_ subject: LintSubject) -> RuleFinding? {
        guard isVisible(subject), subject.mayAlert, !subject.hasText else { return nil }
        for node in subject.tree.children(of: JSONTree.root) {
            guard let key = subject.tree.key(of: node)?.lowercased(), key.contains("attachment"),
                let text = subject.tree.text(of: node), text.hasPrefix("https://") || text.hasPrefix("http://")
            else { continue }
            return RuleFinding(
                .key(node), "An attachment needs an alert.",
                "Add an alert and \"mutable-content\":1.")
        }
        return nil
    }

    private static func isVisible(_ subject: LintSubject) -> Bool {
        subject.isGiven(.alert) || subject.isGiven(.badge) || subject.isGiven(.sound)
    }
}
