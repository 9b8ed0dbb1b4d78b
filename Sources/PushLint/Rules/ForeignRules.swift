internal import PushJSON
internal import PushProvider

/// Rules about what stands in a payload and belongs elsewhere: the messages of other services, headers, and keys outside of `aps`.
///
/// Without `aps` an app may call its own keys what it likes, so these look at keys and at kinds of values that make the shape
/// unmistakable. Of values they look at one, the `to` of Expo: `PayloadOutline` keeps what they look at.
package enum ForeignRules {
    static let rules: [LintRule] = [
        LintRule(
            "foreign-form", .warning, title: "The payload has Apple's form",
            explanation: """
                Firebase, Expo, OneSignal and Amazon SNS have forms of their own, and translate them for APNs. APNs itself takes \
                them for keys of the app and shows nothing.
                """,
            remedy: "Put title and body into \"aps\":{\"alert\":{...}}.", source: RuleSource.seen, check: .payload(form)
        ),
        LintRule(
            "outside-aps", .warning, title: "alert, badge and sound stand in aps",
            explanation:
                "Beside \"aps\", or without it, they are keys of the app: APNs takes them, and the device shows nothing.",
            remedy: "Move them into \"aps\":{...}.", source: RuleSource.payload, check: .payload(outside)),
        LintRule(
            "header-in-payload", .warning, title: "Headers are headers, and not keys of the payload",
            explanation: "APNs reads them from the headers of the request only, and takes these for keys of the app.",
            remedy: "Give them as headers: with flags such as --priority, or on PushNotification.",
            source: RuleSource.sending, check: .payload(headers)),
    ]

    // MARK: Other services

    static func form(_ subject: LintSubject) -> [Breach] {
        guard !subject.has(.aps), subject.mayAlert else { return [] }
        let breach =
            firebase(subject) ?? firebaseMessage(subject) ?? oneSignal(subject) ?? amazon(subject) ?? expo(subject)
        return breach.map { [$0] } ?? []
    }

    private static let advice = "Put title and body into \"aps\":{\"alert\":{...}}."

    private static func breach(_ node: Int, _ problem: String, _ advice: String = advice) -> Breach {
        Breach(.key(node), "\(problem); APNs does not know it and shows nothing.", advice)
    }

    /// The form of its older interface.
    private static func firebase(_ subject: LintSubject) -> Breach? {
        guard let object = subject.member("notification", .object),
            subject.tree.member("title", of: object) ?? subject.tree.member("body", of: object) != nil
        else { return nil }
        return breach(object, "\"notification\" is the form of Firebase")
    }

    /// The form of its HTTP interface of today.
    private static func firebaseMessage(_ subject: LintSubject) -> Breach? {
        guard let message = subject.member("message", .object) else { return nil }
        func has(_ key: StaticString, _ kind: JSONTree.Kind) -> Bool { subject.member(key, kind, of: message) != nil }
        let isForDevices =
            has("notification", .object) || has("apns", .object) || has("android", .object) || has("webpush", .object)
        let isAddressed = has("token", .string) || has("topic", .string) || has("condition", .string)
        guard isForDevices || isAddressed && has("data", .object) else { return nil }
        let holdsPayload =
            subject.member("apns", .object, of: message).flatMap { subject.member("payload", .object, of: $0) }
            .flatMap { subject.tree.member("aps", of: $0) } != nil
        return breach(
            message, "\"message\" is the form of Firebase Cloud Messaging",
            !holdsPayload
                ? advice
                : has("notification", .object)
                    ? "Send what \"message.apns.payload\" holds, with title and body in its \"aps\":{\"alert\":{...}}."
                    : "Send what \"message.apns.payload\" holds, without the objects around it.")
    }

    private static func oneSignal(_ subject: LintSubject) -> Breach? {
        guard let app = subject.member("app_id", .string),
            subject.member("contents", .object) ?? subject.member("headings", .object)
                ?? subject.member("template_id", .string) != nil
        else { return nil }
        return breach(app, "\"app_id\" with its contents is the form of OneSignal")
    }

    private static func amazon(_ subject: LintSubject) -> Breach? {
        guard let text = subject.member("APNS", .string) ?? subject.member("APNS_SANDBOX", .string) else { return nil }
        return breach(
            text, "\(subject.tree.hasKey("APNS", text) ? "\"APNS\"" : "\"APNS_SANDBOX\"") is the form of Amazon SNS",
            "Send the JSON that stands in its text.")
    }

    /// An app may call its own keys so: it is Expo's where it is an alert that shows nothing, or is addressed to a token of theirs.
    private static func expo(_ subject: LintSubject) -> Breach? {
        guard let to = subject.member("to", .string) ?? subject.member("to", .array),
            subject.member("title", .string) ?? subject.member("body", .string) != nil,
            subject.type == .alert || isExpo(to, subject.tree)
        else { return nil }
        return breach(to, "\"to\" with a title or a body is the form of Expo")
    }

    /// What its tokens begin with.
    package static let expoPrefix: StaticString = "Expo"

    private static func isExpo(_ to: Int, _ tree: JSONTree) -> Bool {
        if tree.nodes[to].kind == .array { return tree.children(of: to).contains { isExpo($0, tree) } }
        guard tree.nodes[to].kind == .string else { return false }
        return expoPrefix.withUTF8Buffer { tree.bytes[tree.contents(of: to)].starts(with: $0) }
    }

    // MARK: Outside of aps

    static func outside(_ subject: LintSubject) -> [Breach] {
        guard subject.mayAlert, !subject.has(.alert), !subject.has(.badge), !subject.has(.sound),
            !subject.has(.contentAvailable)
        else { return [] }
        // Where nothing tells what it is, it takes more to tell it from the keys of a call.
        let isAlert = subject.type == .alert
        if !isAlert, let aps = subject[.aps], subject.tree.nodes[aps].next > aps + 1 { return [] }
        guard form(subject).isEmpty, ShapeRules.nestedAps(subject).isEmpty else { return [] }
        let alert = subject.member("alert", .string) ?? subject.member("alert", .object)
        let others = isAlert ? subject.member("badge", .number) ?? subject.member("sound", .string) : nil
        guard let node = alert ?? others, let name = subject.tree.key(of: node) else { return [] }
        return [
            Breach(
                .key(node), "\"\(name)\" stands outside of \"aps\", where the device does not look for it.",
                "Move it into \"aps\", with badge and sound: {\"aps\":{\"alert\":\"Hello\",\"badge\":1}}.")
        ]
    }

    // MARK: Headers

    /// Not `apns-id`: an app may well want to know it.
    private static let headers: [(name: String, flag: String)] = [
        (APNSHeader.topic, "--topic"), (APNSHeader.pushType, "--push-type"), (APNSHeader.priority, "--priority"),
        (APNSHeader.expiration, "--expires"), (APNSHeader.collapseID, "--collapse-id"),
    ]

    /// Whether a key is the name of a header.
    static func isHeader(_ name: String) -> Bool { headers.contains { $0.name == name } }

    static func headers(_ subject: LintSubject) -> [Breach] {
        let tree = subject.tree
        let inAps = subject[.aps].map { tree.children(of: $0).filter(tree.mayBeHeader) } ?? []
        return (tree.children(of: JSONTree.root).filter(tree.mayBeHeader) + inAps).compactMap { node in
            guard let key = tree.key(of: node), let header = headers.first(where: { $0.name == key }) else {
                return nil
            }
            return Breach(
                .key(node), "\"\(key)\" is a header of the request, and APNs does not look for it in the payload.",
                "Give it as a header: \(header.flag) of pushsend, or on PushNotification.")
        }
    }
}

extension LintSubject {
    /// The member of the payload with that key, where its value is of that kind.
    fileprivate func member(_ key: StaticString, _ kind: JSONTree.Kind, of object: Int = JSONTree.root) -> Int? {
        tree.member(key, of: object).flatMap { tree.nodes[$0].kind == kind ? $0 : nil }
    }
}

extension JSONTree {
    /// By the first byte, before a key is made a text.
    fileprivate func mayBeHeader(_ node: Int) -> Bool {
        let start = Int(nodes[node].keyStart)
        return start >= 0 && (bytes[start] == UInt8(ascii: "a") || nodes[node].keyHasEscapes)
            && Int(nodes[node].keyEnd) - start >= 10
    }
}
