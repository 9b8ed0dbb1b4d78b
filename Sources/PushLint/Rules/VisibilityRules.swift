internal import PushJSON
internal import PushProvider

/// Rules about what people see of a notification, and what happens unseen.
enum VisibilityRules {
    static let rules: [LintRule] = [
        LintRule(
            "background-visible", .error, aliases: ["L1"],
            title: "A background notification has no alert, badge or sound",
            explanation: "It wakes the app and shows nothing. Apple drops or delays one that also wants to be seen.",
            remedy: "Remove them, or use push type alert.", source: RuleSource.background,
            check: .payload(backgroundIsSilent)),
        LintRule(
            "background-content-available", .error, title: "A background notification has content-available 1",
            explanation: "Without it the app is not woken, and nothing is shown either.",
            remedy: "Add \"content-available\":1 to aps.", source: RuleSource.background,
            check: .payload(backgroundWakes)),
        LintRule(
            "content-available-as-alert", .warning, aliases: ["L3", "L20"],
            title: "content-available alone goes as push type background",
            explanation: """
                Sent as an alert with nothing to show, it may be dropped. Beside an alert, content-available is allowed, \
                and the push type is alert.
                """,
            remedy: "Use push type background, and priority 5.", source: RuleSource.sending,
            check: .payload(silentAlert)),
        LintRule(
            "nothing-visible", .warning, aliases: ["L4"], title: "An alert has something to see or hear",
            explanation: "APNs takes it, and nothing happens on the device.",
            remedy: "Add an alert, a badge or a sound to aps.", source: RuleSource.payload,
            check: .payload(nothingVisible)),
        LintRule(
            "mutable-without-alert", .warning, aliases: ["L5"], title: "mutable-content needs an alert",
            explanation: """
                The service extension runs only when a title, a subtitle or a body is shown, not for a badge, a sound or a \
                background notification.
                """,
            remedy: "Add an alert; the extension may replace its text.", source: RuleSource.extensions,
            check: .payload(mutable)),
        LintRule(
            "category-without-alert", .warning, aliases: ["L6"], title: "A category needs an alert",
            explanation: "Its buttons and its interface belong to an alert that is shown.",
            remedy: "Add an alert, or leave the category out.", source: RuleSource.reference, check: .payload(category)),
        LintRule(
            "attachment-without-alert", .warning, title: "An attachment needs an alert",
            explanation: """
                An attachment is loaded by the service extension, which runs only with mutable-content and an alert. The \
                key's name is the app's own; it was taken for one by its name and its URL.
                """,
            remedy: "Add an alert and \"mutable-content\":1.", source: RuleSource.extensions,
            check: .payload(attachment)),
    ]

    static func backgroundIsSilent(_ subject: LintSubject) -> [Breach] {
        guard let aps = subject[.aps] else { return [] }
        return PayloadChecks.backgroundIsSilent(subject.tree, aps: aps, subject.type).map { [$0] } ?? []
    }

    static func backgroundWakes(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .background else { return [] }
        if let node = subject[.contentAvailable], subject.isGiven(.contentAvailable) {
            let word = String(decoding: subject.tree.bytes[subject.tree.range(of: node)], as: UTF8.self)
            guard ["0", "false"].contains(word) else { return [] }
            return [
                Breach(
                    .value(node), "\"content-available\" is \(word), and a background notification needs 1.", "Write 1."
                )
            ]
        }
        if KeyRules.areMisspelt([.contentAvailable], subject) { return [] }
        return [
            Breach(
                subject[.aps].map { .value($0) } ?? .payload, "A background notification needs \"content-available\".",
                "Add \"content-available\":1 to \"aps\".")
        ]
    }

    static func silentAlert(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .alert, let node = subject[.contentAvailable], !isVisible(subject) else { return [] }
        return [
            Breach(
                .key(node), "\"content-available\" stands alone, and the push type is alert.",
                "Use push type background, and priority 5; or add an alert.")
        ]
    }

    static func nothingVisible(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .alert, !isVisible(subject), !subject.has(.contentAvailable) else { return [] }
        // A pass is told to update itself by an empty object.
        let isEmpty = subject.tree.nodes.count == 1
        guard !isEmpty, !isToldBetter(subject), !KeyRules.areMisspelt([.alert, .badge, .sound], subject) else {
            return []
        }
        return [
            Breach(
                subject[.aps].map { .value($0) } ?? .payload, "There is nothing to see or hear.",
                "Add an alert, a badge or a sound to \"aps\".")
        ]
    }

    /// Whether another rule says why there is nothing.
    private static func isToldBetter(_ subject: LintSubject) -> Bool {
        !ShapeRules.nestedAps(subject).isEmpty || !ForeignRules.form(subject).isEmpty
            || !ForeignRules.outside(subject).isEmpty || !LiveActivityRules.type(subject).isEmpty
    }

    static func mutable(_ subject: LintSubject) -> [Breach] {
        guard let node = subject[.mutableContent], !subject.hasText, subject.mayAlert || subject.type == .background
        else {
            return []
        }
        return [
            Breach(
                .key(node), "\"mutable-content\" does nothing without an alert: the service extension never runs.",
                "Add an alert; the extension may replace its text.")
        ]
    }

    static func category(_ subject: LintSubject) -> [Breach] {
        guard let node = subject[.category], !subject.hasText, subject.mayAlert || subject.type == .background else {
            return []
        }
        return [
            Breach(
                .key(node), "\"category\" does nothing without an alert.", "Add an alert, or leave the category out.")
        ]
    }

    static func attachment(_ subject: LintSubject) -> [Breach] {
        guard isVisible(subject), subject.mayAlert, !subject.hasText else { return [] }
        for node in subject.tree.children(of: JSONTree.root) {
            guard let key = subject.tree.key(of: node)?.lowercased(), key.contains("attachment"),
                let text = subject.tree.text(of: node), text.hasPrefix("https://") || text.hasPrefix("http://")
            else { continue }
            return [
                Breach(
                    .key(node), "There is no alert to which an attachment could be added.",
                    "Add an alert and \"mutable-content\":1.")
            ]
        }
        return []
    }

    private static func isVisible(_ subject: LintSubject) -> Bool {
        subject.has(.alert) || subject.has(.badge) || subject.has(.sound)
    }
}
