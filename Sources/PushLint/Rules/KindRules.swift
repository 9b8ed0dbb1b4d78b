internal import PushJSON
import PushPlatform
internal import PushProvider

/// Rules about push types that have their own payload format.
enum KindRules {
    static let rules: [LintRule] = [
        LintRule(
            "content-changed", .warning, title: "Widgets and controls are updated by content-changed",
            explanation:
                "The payload is {\"aps\":{\"content-changed\":true}}. The app gets the new content from its own server.",
            remedy: "Add \"content-changed\":true to aps.", source: RuleSource.widgets, check: .single(contentChanged)),
        LintRule(
            "accessory-keys", .error, title: "A push to an accessory has its four keys",
            explanation: """
                The system finds the key that decrypts the answer by sessionIdentifier, keyID and messageIndex. All of \
                them are strings.
                """,
            remedy: "Send encryptedData, sessionIdentifier, keyID and messageIndex in aps, as the accessory sent them.",
            source: RuleSource.accessories, check: .payload(accessory)),
        LintRule(
            "accessory-form", .warning, title: "The values of an accessory are base64 and a number",
            explanation:
                "encryptedData and keyID are bytes in base64. messageIndex is a whole number, but written as a string.",
            remedy: "Send the values as the accessory sent them.", source: RuleSource.accessories,
            check: .payload(accessoryForm)),
        LintRule(
            "accessory-only", .warning, title: "A push to an accessory shows nothing",
            explanation: "Apple documents four keys for it, none of them for an alert, a sound or a badge.",
            remedy: "Remove the key, or send it to the app as a separate push.", source: RuleSource.accessories,
            check: .payload(accessoryOnly)),
        LintRule(
            "wallet-payload", .warning, title: "A push for Wallet is an empty object",
            explanation: """
                Wallet reads nothing of the payload: the push makes it ask your server for the changed pass or order, and the \
                pass decides what is shown. The topic is the pass type id or the order type id.
                """,
            remedy: "Send {}.", source: RuleSource.wallet, check: .single(wallet)),
        LintRule(
            "mdm-topic", .warning, title: "An MDM topic gets only the PushMagic",
            explanation: "com.apple.mgmt. begins the topic of an MDM certificate. No app has it, so nothing is shown.",
            remedy: "Send {\"mdm\":\"PushMagic of the device\"} with push type mdm.", source: RuleSource.sending,
            check: .single(managed)),
        LintRule(
            "mdm-magic", .error, title: "A push to a managed device contains its PushMagic",
            explanation: "The device accepts only the string that it sent at enrollment.",
            remedy: "Send {\"mdm\":\"PushMagic of the device\"}.", source: RuleSource.sending, check: .single(magic)),
        LintRule(
            "fileprovider-container", .warning, title: "A push for a File Provider names the changed container",
            explanation: "The payload has container-identifier and domain at the outermost level.",
            remedy: "Add \"container-identifier\".", source: RuleSource.sending, check: .single(container)),
    ]

    static func contentChanged(_ subject: LintSubject) -> RuleFinding? {
        guard subject.type == .widgets || subject.type == .controls, !subject.isGiven(.contentChanged) else {
            return nil
        }
        return RuleFinding(
            subject[.aps].map { .value($0) } ?? .payload,
            "\"content-changed\" is missing; without it nothing is updated.",
            "Send {\"aps\":{\"content-changed\":true}}.")
    }

    static func magic(_ subject: LintSubject) -> RuleFinding? {
        guard subject.type == .mdm else { return nil }
        guard let node = subject.tree.member("mdm", of: JSONTree.root) else {
            return RuleFinding(.payload, "\"mdm\" is missing.", "Send {\"mdm\":\"PushMagic of the device\"}.")
        }
        if subject.tree.text(of: node)?.isEmpty == true {
            return RuleFinding(.value(node), "\"mdm\" is empty.", "Write the PushMagic of the device.")
        }
        guard subject.tree.nodes[node].kind != .string else { return nil }
        return RuleFinding(
            .value(node), "\"mdm\" isn't a string.", "Put the PushMagic of the device in quotation marks.")
    }

    // MARK: Accessories

    static func accessory(_ subject: LintSubject) -> [RuleFinding] {
        guard subject.isAccessory else { return [] }
        return KnownKey.ofAccessory.filter { !subject.holdsSomething($0) && !KeyRules.areMisspelt([$0], subject) }
            .map { key in
                let place = subject[key] ?? subject[.aps]
                return RuleFinding(
                    place.map { .value($0) } ?? .payload, "A push to an accessory needs \"\(key.name)\".",
                    "Add \"\(key.name)\" to \"aps\": the string that the accessory sent.")
            }
    }

    static func accessoryForm(_ subject: LintSubject) -> [RuleFinding] {
        guard subject.isAccessory else { return [] }
        let inBase64 = [KnownKey.encryptedData, .keyID].compactMap { key -> RuleFinding? in
            guard let node = subject[key], let text = subject.tree.text(of: node), !text.isEmpty,
                Data(base64Encoded: text) == nil
            else { return nil }
            return RuleFinding(.value(node), "\"\(key.name)\" isn't base64.", "Send it as the accessory sent it.")
        }
        guard let node = subject[.messageIndex], let text = subject.tree.text(of: node), !text.isEmpty,
            UInt64(text).map(String.init) != text
        else { return inBase64 }
        return inBase64 + [
            RuleFinding(
                .value(node), "\"messageIndex\" isn't a whole number.", "Write a number in quotation marks: \"42\".")
        ]
    }

    static func accessoryOnly(_ subject: LintSubject) -> [RuleFinding] {
        guard subject.isAccessory else { return [] }
        return KnownKey.all.compactMap { key in
            guard key.home == .aps, !KnownKey.ofAccessory.contains(key), let node = subject[key] else { return nil }
            return RuleFinding(
                .key(node), "\"\(key.name)\" has no meaning in a push to an accessory, which shows nothing.",
                "Remove the key.")
        }
    }

    // MARK: Topics that are no apps

    static func wallet(_ subject: LintSubject) -> RuleFinding? {
        guard subject.isForWallet, let topic = subject.request.topic else { return nil }
        let tree = subject.tree
        // Some senders write an empty aps, which says nothing either.
        let shown = tree.children(of: JSONTree.root).first { !tree.hasKey("aps", $0) || tree.nodes[$0].next > $0 + 1 }
        guard let shown else { return nil }
        return RuleFinding(
            .key(shown),
            "\"\(TopicChecks.printable(topic))\" is a topic of Wallet, which reads nothing of a payload.",
            "Send {}. What is shown stands in the pass or order itself.")
    }

    static func managed(_ subject: LintSubject) -> RuleFinding? {
        guard let topic = subject.request.topic, SpecialTopic(topic) == .management, subject.type != .mdm else {
            return nil
        }
        return RuleFinding(
            .payload, "\"\(TopicChecks.printable(topic))\" is a topic of MDM: the device shows nothing of this.",
            "Send {\"mdm\":\"PushMagic of the device\"} with push type mdm.")
    }

    static func container(_ subject: LintSubject) -> RuleFinding? {
        guard subject.type == .fileprovider, subject.tree.member("container-identifier", of: JSONTree.root) == nil
        else {
            return nil
        }
        return RuleFinding(.payload, "\"container-identifier\" is missing.", "Add the id of the changed container.")
    }
}
