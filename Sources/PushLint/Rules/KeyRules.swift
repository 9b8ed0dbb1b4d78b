internal import PushJSON
internal import PushProvider

/// Rules about keys: whether Apple knows them, and where they belong.
enum KeyRules {
    static let rules: [LintRule] = [
        LintRule(
            "misplaced-key", .warning, title: "Keys of aps are in aps, keys of alert are in alert",
            explanation: "The system reads each key only in the object where it belongs, and ignores it elsewhere.",
            remedy: "Move it to the object where it belongs.", source: RuleSource.payload, check: .payload(misplaced)),
        LintRule(
            "misspelt-key", .warning, title: "Apple's keys are spelled as documented",
            explanation: """
                Apple's keys are lower case with hyphens: content-available, not contentAvailable or content_available. \
                A key in another spelling is ignored.
                """,
            remedy: "Use the documented spelling.", source: RuleSource.payload, check: .payload(misspelt)),
        LintRule(
            "custom-key-in-aps", .warning, aliases: ["L9"], title: "Custom keys are next to aps, not in it",
            explanation: "Apple ignores unknown keys in aps now, but may use them in the future.",
            remedy: "Move it out of aps, to the outermost level.", source: RuleSource.payload, check: .payload(custom)),
        LintRule(
            "unknown-key", .warning, title: "alert and sound have only Apple's keys",
            explanation: "An unknown key in alert or sound is ignored.",
            remedy: "Move it to the outermost level, where custom keys belong.", source: RuleSource.payload,
            check: .payload(unknown)),
    ]

    // MARK: Rules

    static func misplaced(_ subject: LintSubject) -> [RuleFinding] {
        let inOtherObjects = subject.unknownKeys.compactMap { node, home -> RuleFinding? in
            guard let key = KeyRules.home(of: node, besides: home, subject) else { return nil }
            return misplaced(node, key, in: home)
        }
        return inOtherObjects + [misplacedSound(subject)].compactMap(\.self)
    }

    private static func misplaced(
        _ node: Int, _ key: KnownKey, in home: KnownKey.Home, _ severity: PushFinding.Severity? = nil
    ) -> RuleFinding {
        RuleFinding(
            .key(node), "\"\(key.name)\" is a key of \(name(of: key.home)), but it is in \(name(of: home)).",
            advice(key),
            severity: severity)
    }

    /// `sound` is a key of both: in Live Activities it belongs in `alert`, otherwise in `aps`.
    private static func misplacedSound(_ subject: LintSubject) -> RuleFinding? {
        if let sound = subject[.alertSound], !subject.isLiveActivity { return misplaced(sound, .sound, in: .alert) }
        guard let sound = subject[.sound], subject.isLiveActivity, subject.kind(.alert) == .object,
            !subject.has(.alertSound)
        else { return nil }
        return misplaced(sound, .alertSound, in: .aps, .note)
    }

    static func misspelt(_ subject: LintSubject) -> [RuleFinding] {
        var findings = [misspeltAps(subject)].compactMap(\.self)
        let found = subject.unknownKeys.compactMap { node, home -> (Int, KnownKey.Home, KnownKey, Misspelling)? in
            guard KeyRules.home(of: node, besides: home, subject) == nil else { return nil }
            return subject.misspellings[node].map { (node, home, $0.key, $0.found) }
        }
        let counts = Dictionary(found.map { ($0.2, 1) }, uniquingKeysWith: +)
        for (node, home, key, misspelling) in found {
            let parent = key.home == home ? "" : " in \(name(of: key.home))"
            // If the correct key is present too, it is uncertain which of the two counts.
            let isAlone = !subject.has(key) && counts[key] == 1
            let isCertain = misspelling.isCertain && key.home == home && isAlone
            findings.append(
                RuleFinding(
                    .key(node), "Unknown key \(shown(node, subject)).", "Did you mean \"\(key.name)\"\(parent)?",
                    edits: isCertain ? rename(node, to: key.name, subject) : []))
        }
        return findings
    }

    static func custom(_ subject: LintSubject) -> [RuleFinding] {
        // The keys of a newer push type of Apple are not known here.
        guard subject.type?.isKnown ?? true else { return [] }
        return strange(subject) { $0 == .aps }.map { node, _ in
            RuleFinding(
                .key(node), "Unknown key \(shown(node, subject)) in \"aps\".",
                "Move it out of \"aps\", to the outermost level.")
        }
    }

    static func unknown(_ subject: LintSubject) -> [RuleFinding] {
        strange(subject) { $0 != .aps }.map { node, home in
            RuleFinding(
                .key(node), "Unknown key \(shown(node, subject)) in \(name(of: home)).",
                "Move it to the outermost level, where custom keys belong.")
        }
    }

    // MARK: Lookup

    /// Whether one of these keys is misspelt. Then the misspelling is reported, and not a missing key.
    static func areMisspelt(_ keys: [KnownKey], _ subject: LintSubject) -> Bool {
        subject.unknownKeys.contains { node, home in
            subject.misspellings[node].map { $0.key.home == home && keys.contains($0.key) } ?? false
        }
    }

    /// The unknown keys that are neither misplaced nor misspelt.
    private static func strange(
        _ subject: LintSubject, _ isOf: (KnownKey.Home) -> Bool
    ) -> [(node: Int, home: KnownKey.Home)] {
        subject.unknownKeys.filter { node, home in
            isOf(home) && !ForeignRules.isHeader(node, in: home, subject)
                && KeyRules.home(of: node, besides: home, subject) == nil
                && subject.misspellings[node] == nil
        }
    }

    /// Apple's key of this name in another object; `nil` if there is none. `name` is skipped: any app may use it as a custom key.
    private static func home(of node: Int, besides home: KnownKey.Home, _ subject: LintSubject) -> KnownKey? {
        guard let name = subject.tree.key(of: node), name != KnownKey.soundName.name else { return nil }
        let bytes = Array(name.utf8)
        return KnownKey.Home.allCases.filter { $0 != home && $0 != .root }
            .compactMap { KnownKey.find(bytes[...], in: $0) }
            .first { subject.isAccessory || !KnownKey.ofAccessory.contains($0) }
    }

    /// A finding for a misspelt `aps`: an object with keys of `aps` and a similar name.
    private static func misspeltAps(_ subject: LintSubject) -> RuleFinding? {
        guard !subject.has(.aps), subject.mayAlert || subject.type == .background else { return nil }
        let tree = subject.tree
        var alike: Int {
            tree.children(of: JSONTree.root).count {
                tree.key(of: $0).flatMap { Misspelling($0, of: KnownKey.vocabulary(of: .root)) } != nil
            }
        }
        for node in tree.children(of: JSONTree.root) where tree.nodes[node].kind == .object {
            guard
                ["alert", "badge", "sound", "content-available"].contains(where: { tree.member($0, of: node) != nil }),
                let name = tree.key(of: node), let found = Misspelling(name, of: KnownKey.vocabulary(of: .root))
            else { continue }
            return RuleFinding(
                .key(node), "\"aps\" is missing. Unknown key \(shown(node, subject)).", "Did you mean \"aps\"?",
                edits: found.isCertain && alike == 1 ? rename(node, to: "aps", subject) : [])
        }
        return nil
    }

    // MARK: Words

    private static func rename(_ node: Int, to name: String, _ subject: LintSubject) -> [JSONEdit] {
        subject.tree.keyRange(of: node).map { [JSONEdit($0, "\"\(name)\"")] } ?? []
    }

    private static func shown(_ node: Int, _ subject: LintSubject) -> String {
        "\"\(PeerText.printable(String((subject.tree.key(of: node) ?? "").prefix(40))))\""
    }

    private static func name(of home: KnownKey.Home) -> String {
        switch home {
        case .root: "the outermost level"
        case .aps: "\"aps\""
        case .alert: "\"alert\""
        case .sound: "\"sound\""
        }
    }

    private static func advice(_ key: KnownKey) -> String {
        switch key.home {
        case .aps: "Move it into \"aps\", next to \"alert\"."
        case .alert: "Move it into \"aps\":{\"alert\":{...}}."
        default: "Move it into \"aps\":{\"sound\":{...}}."
        }
    }
}
