internal import PushJSON
internal import PushProvider

/// Rules about content that does not belong in a payload: messages of other services, headers, and Apple's keys outside `aps`.
///
/// Without `aps`, an app may use any names for its custom keys. So these rules check combinations of keys and kinds of values that
/// only the other service has. They read one value only, the `to` of Expo. `PayloadOutline` keeps everything that they read.
package enum ForeignRules {
    static let rules: [LintRule] = [
        LintRule(
            "foreign-form", .warning, title: "The payload is in Apple's format",
            explanation: """
                Firebase, Expo, OneSignal, Amazon SNS and gorush have their own formats, and translate them for APNs. APNs \
                itself reads their keys as custom keys of the app, and the device shows nothing.
                """,
            remedy: "Put title and body into \"aps\":{\"alert\":{...}}.", source: RuleSource.seen, check: .single(form)
        ),
        LintRule(
            "outside-aps", .warning, title: "alert, badge and sound are in aps",
            explanation:
                "Outside \"aps\" they are custom keys of the app: APNs accepts the push, and the device shows nothing.",
            remedy: "Move them into \"aps\":{...}.", source: RuleSource.payload, check: .single(outside)),
        LintRule(
            "header-in-payload", .warning, title: "Headers are not keys of the payload",
            explanation: "APNs reads them only from the headers of the request. In the payload they are custom keys.",
            remedy: "Send them as headers of the request.",
            source: RuleSource.sending, check: .payload(headers)),
    ]

    // MARK: Other services

    static func form(_ subject: LintSubject) -> RuleFinding? {
        guard !subject.has(.aps), subject.mayAlert else { return nil }
        return firebase(subject) ?? firebaseMessage(subject) ?? oneSignal(subject) ?? amazon(subject)
            ?? gorush(subject) ?? expo(subject)
    }

    private static let advice = "Put title and body into \"aps\":{\"alert\":{...}}."

    private static func finding(_ node: Int, _ problem: String, _ advice: String = advice) -> RuleFinding {
        RuleFinding(.key(node), "\(problem). APNs doesn't know it, and the device shows nothing.", advice)
    }

    /// The format of the older interface of Firebase.
    private static func firebase(_ subject: LintSubject) -> RuleFinding? {
        guard let object = subject.member("notification", .object),
            subject.tree.member("title", of: object) ?? subject.tree.member("body", of: object) != nil
        else { return nil }
        return finding(object, "\"notification\" is the format of Firebase")
    }

    /// The format of the current HTTP interface of Firebase.
    private static func firebaseMessage(_ subject: LintSubject) -> RuleFinding? {
        guard let message = subject.member("message", .object) else { return nil }
        func has(_ key: StaticString, _ kind: JSONTree.Kind) -> Bool { subject.member(key, kind, of: message) != nil }
        let isForDevices =
            has("notification", .object) || has("apns", .object) || has("android", .object) || has("webpush", .object)
        let isAddressed = has("token", .string) || has("topic", .string) || has("condition", .string)
        guard isForDevices || isAddressed && has("data", .object) else { return nil }
        let holdsPayload =
            subject.member("apns", .object, of: message).flatMap { subject.member("payload", .object, of: $0) }
            .flatMap { subject.tree.member("aps", of: $0) } != nil
        return finding(
            message, "\"message\" is the format of Firebase Cloud Messaging",
            !holdsPayload
                ? advice
                : has("notification", .object)
                    ? "Send the contents of \"message.apns.payload\", with title and body in its \"aps\":{\"alert\":{...}}."
                    : "Send the contents of \"message.apns.payload\", without the objects around it.")
    }

    private static func oneSignal(_ subject: LintSubject) -> RuleFinding? {
        guard let app = subject.member("app_id", .string),
            subject.member("contents", .object) ?? subject.member("headings", .object)
                ?? subject.member("template_id", .string) != nil
        else { return nil }
        return finding(app, "\"app_id\" with contents is the format of OneSignal")
    }

    private static func amazon(_ subject: LintSubject) -> RuleFinding? {
        guard let text = subject.member("APNS", .string) ?? subject.member("APNS_SANDBOX", .string) else { return nil }
        return finding(
            text, "\(subject.tree.hasKey("APNS", text) ? "\"APNS\"" : "\"APNS_SANDBOX\"") is the format of Amazon SNS",
            "Send the JSON inside this string.")
    }

    /// The body of a request to gorush, or one of its notifications.
    private static func gorush(_ subject: LintSubject) -> RuleFinding? {
        let list = subject.member("notifications", .array)
        let first = list.flatMap { list in subject.tree.children(of: list).first { _ in true } }
        let object = first ?? JSONTree.root
        guard subject.tree.nodes[object].kind == .object,
            let tokens = subject.member("tokens", .array, of: object),
            subject.member("platform", .number, of: object) != nil
        else { return nil }
        return finding(list ?? tokens, "\"tokens\" with a platform is the format of gorush")
    }

    /// An app may use these custom keys, too. They mean Expo only in an alert that shows nothing, or with a token of Expo in `to`.
    private static func expo(_ subject: LintSubject) -> RuleFinding? {
        guard let to = subject.member("to", .string) ?? subject.member("to", .array),
            subject.member("title", .string) ?? subject.member("body", .string) != nil,
            subject.type == .alert || isExpo(to, subject.tree)
        else { return nil }
        return finding(to, "\"to\" with a title or a body is the format of Expo")
    }

    package static let expoPrefix: StaticString = "Expo"

    private static func isExpo(_ to: Int, _ tree: JSONTree) -> Bool {
        if tree.nodes[to].kind == .array { return tree.children(of: to).contains { isExpo($0, tree) } }
        guard tree.nodes[to].kind == .string else { return false }
        return expoPrefix.withUTF8Buffer { tree.bytes[tree.contents(of: to)].starts(with: $0) }
    }

    // MARK: Outside of aps

    static func outside(_ subject: LintSubject) -> RuleFinding? {
        guard subject.mayAlert,
            ![KnownKey.alert, .badge, .sound, .contentAvailable].contains(where: { subject.isGiven($0) })
        else {
            return nil
        }
        // If the push type is unknown, `badge` and `sound` alone may be custom keys, for example those of a call.
        let isAlert = subject.type == .alert
        if !isAlert, let aps = subject[.aps], subject.tree.nodes[aps].next > aps + 1 { return nil }
        guard form(subject) == nil, ShapeRules.nestedAps(subject) == nil else { return nil }
        let alert = subject.member("alert", .string) ?? subject.member("alert", .object)
        let others = isAlert ? subject.member("badge", .number) ?? subject.member("sound", .string) : nil
        guard let node = alert ?? others, let name = subject.tree.key(of: node) else { return nil }
        return RuleFinding(
            .key(node), "\"\(name)\" is outside \"aps\", so the device ignores it.",
            "Move it into \"aps\", with badge and sound: {\"aps\":{\"alert\":\"Hello\",\"badge\":1}}.")
    }

    // MARK: Headers

    /// The names of the headers. `apns-id` is not in the list, because an app may want to know it.
    private static let headers = [
        APNSHeader.topic, APNSHeader.pushType, APNSHeader.priority, APNSHeader.expiration, APNSHeader.collapseID,
    ]

    /// The same without `apns-`, as they are written in objects that other libraries read: `collapse-id`, `collapseId`.
    private static let shortNames = Vocabulary(headers.map { String($0.dropFirst("apns-".count)) })

    /// Whether a member of one of Apple's objects is a header. In `aps`, the name without `apns-` is one, too.
    static func isHeader(_ node: Int, in home: KnownKey.Home, _ subject: LintSubject) -> Bool {
        header(node, alsoShort: home == .aps, subject.tree) != nil
    }

    /// The name of the header that a key means; `nil` for another key.
    private static func header(_ node: Int, alsoShort: Bool, _ tree: JSONTree) -> String? {
        guard alsoShort || tree.mayBeHeader(node), let key = tree.key(of: node) else { return nil }
        if headers.contains(key) { return key }
        return alsoShort ? shortNames.sameSpelling(as: key).map { "apns-\($0)" } : nil
    }

    /// Headers at the outermost level, in `aps`, and in the objects in which other services take them: `headers`,
    /// `apns`, and `headers` in `apns`.
    static func headers(_ subject: LintSubject) -> [RuleFinding] {
        let tree = subject.tree
        var found = headers(in: JSONTree.root, alsoShort: false, tree)
        if let aps = subject[.aps] {
            let unknown = subject.unknownKeys.filter { $0.home == .aps }.map(\.node)
            found += unknown.compactMap { node in header(node, alsoShort: true, tree).map { (node, $0) } }
            guard tree.nodes[aps].kind == .object else { return found.map { finding($0, $1, tree) } }
        }
        let apns = subject.member("apns", .object)
        if let apns { found += headers(in: apns, alsoShort: false, tree) }
        for object in [subject.member("headers", .object), apns.flatMap { subject.member("headers", .object, of: $0) }]
        {
            if let object { found += headers(in: object, alsoShort: true, tree) }
        }
        return found.map { finding($0, $1, tree) }
    }

    private static func headers(in object: Int, alsoShort: Bool, _ tree: JSONTree) -> [(node: Int, header: String)] {
        tree.children(of: object).compactMap { node in
            header(node, alsoShort: alsoShort, tree).map { (node: node, header: $0) }
        }
    }

    private static func finding(_ node: Int, _ header: String, _ tree: JSONTree) -> RuleFinding {
        let key = tree.key(of: node) ?? header
        guard key == header else {
            return RuleFinding(
                .key(node),
                "\"\(PeerText.printable(key))\" is the header \(header) of the request. APNs ignores it in the payload.",
                "Send it as a header of the request.")
        }
        return RuleFinding(
            .key(node), "\"\(key)\" is a header of the request. APNs ignores it in the payload.",
            "Send it as a header of the request.")
    }
}

extension LintSubject {
    /// The member of an object with this key; `nil` if it is missing or its value is of another kind.
    fileprivate func member(_ key: StaticString, _ kind: JSONTree.Kind, of object: Int = JSONTree.root) -> Int? {
        tree.member(key, of: object).flatMap { tree.nodes[$0].kind == kind ? $0 : nil }
    }
}

extension JSONTree {
    /// A quick check of first byte and length, before the key is decoded.
    fileprivate func mayBeHeader(_ node: Int) -> Bool {
        let start = Int(nodes[node].keyStart)
        return start >= 0 && (bytes[start] == UInt8(ascii: "a") || nodes[node].keyHasEscapes)
            && Int(nodes[node].keyEnd) - start >= 10
    }
}
