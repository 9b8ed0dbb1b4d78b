internal import PushJSON
internal import PushProvider

/// Rules about push types that have their own payload format.
enum KindRules {
    static let rules: [LintRule] = [
        LintRule(
            "content-changed", .warning, title: "Widgets and controls are updated by content-changed",
            explanation:
                "The payload is {\"aps\":{\"content-changed\":true}}. The app gets the new content from its own server.",
            remedy: "Add \"content-changed\":true to aps.", source: RuleSource.widgets, check: .payload(contentChanged)),
        LintRule(
            "mdm-magic", .error, title: "A push to a managed device contains its PushMagic",
            explanation: "The device accepts only the string that it sent at enrollment.",
            remedy: "Send {\"mdm\":\"PushMagic of the device\"}.", source: RuleSource.sending, check: .payload(magic)),
        LintRule(
            "fileprovider-container", .warning, title: "A push for a File Provider names the changed container",
            explanation: "The payload has container-identifier and domain at the outermost level.",
            remedy: "Add \"container-identifier\".", source: RuleSource.sending, check: .payload(container)),
    ]

    static func contentChanged(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .widgets || subject.type == .controls, !subject.has(.contentChanged) else { return [] }
        return [
            Breach(
                subject[.aps].map { .value($0) } ?? .payload,
                "\"content-changed\" is missing; without it nothing is updated.",
                "Send {\"aps\":{\"content-changed\":true}}.")
        ]
    }

    static func magic(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .mdm else { return [] }
        guard let node = subject.tree.member("mdm", of: JSONTree.root) else {
            return [Breach(.payload, "\"mdm\" is missing.", "Send {\"mdm\":\"PushMagic of the device\"}.")]
        }
        guard subject.tree.nodes[node].kind != .string else { return [] }
        return [Breach(.value(node), "\"mdm\" is not a string.", "Put the PushMagic of the device in quotation marks.")]
    }

    static func container(_ subject: LintSubject) -> [Breach] {
        guard subject.type == .fileprovider, subject.tree.member("container-identifier", of: JSONTree.root) == nil
        else {
            return []
        }
        return [Breach(.payload, "\"container-identifier\" is missing.", "Add the id of the changed container.")]
    }
}
