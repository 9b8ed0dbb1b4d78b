internal import PushJSON
internal import PushProvider

/// Rules about push types with a payload of their own.
enum KindRules {
    static let rules: [LintRule] = [
        LintRule(
            "content-changed", .warning, title: "Widgets and controls are updated by content-changed",
            explanation:
                "The payload is {\"aps\":{\"content-changed\":true}}, and the app asks its own server for the rest.",
            remedy: "Add \"content-changed\":true to aps.", source: RuleSource.widgets, check: .payload(contentChanged)),
        LintRule(
            "mdm-magic", .error, title: "A call to a managed device carries its PushMagic",
            explanation: "The device answers to the text that it has sent when it was enrolled, and to nothing else.",
            remedy: "Send {\"mdm\":\"PushMagic of the device\"}.", source: RuleSource.sending, check: .payload(magic)),
        LintRule(
            "fileprovider-container", .warning, title: "A File Provider is told which container has changed",
            explanation: "The payload holds container-identifier and domain at the outermost level.",
            remedy: "Add \"container-identifier\".", source: RuleSource.sending, check: .payload(container)),
    ]

    static func contentChanged(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .widgets || subject.type == .controls, !subject.has(.contentChanged) else { return [] }
        return [
            Breach(
                subject[.aps].map { .value($0) } ?? .payload,
                "There is no \"content-changed\", by which it is updated.",
                "Send {\"aps\":{\"content-changed\":true}}.")
        ]
    }

    static func magic(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .mdm else { return [] }
        guard let node = subject.tree.member("mdm", of: JSONTree.root) else {
            return [Breach(.payload, "There is no \"mdm\".", "Send {\"mdm\":\"PushMagic of the device\"}.")]
        }
        guard subject.tree.nodes[node].kind != .string else { return [] }
        return [Breach(.value(node), "\"mdm\" is not a text.", "Write the PushMagic of the device in quotation marks.")]
    }

    static func container(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .fileprovider, subject.tree.member("container-identifier", of: JSONTree.root) == nil
        else {
            return []
        }
        return [Breach(.payload, "There is no \"container-identifier\".", "Say which container has changed.")]
    }
}
