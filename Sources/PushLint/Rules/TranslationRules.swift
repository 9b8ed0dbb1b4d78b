internal import PushJSON
internal import PushProvider

/// Rules about the objects that may stand in the place of a text in the alert of a Live Activity.
enum TranslationRules {
    static let rules: [LintRule] = [
        LintRule(
            "translation-object", .error, title: "A translated text of a Live Activity is loc-key and loc-args",
            explanation: """
                In the alert of a Live Activity, title, subtitle and body may each be an object with the key of a translation and \
                a list of arguments. Anything else in it is passed over, and without the key there is no text.
                """,
            remedy: "Write {\"loc-key\":\"KEY\",\"loc-args\":[\"one\"]}.", source: RuleSource.liveActivities,
            check: .payload(objects))
    ]

    private static let names = Vocabulary(["loc-key", "loc-args"])

    /// A member that has neither name, and the one that was probably meant.
    private typealias Stranger = (node: Int, name: String, found: Misspelling?)

    static func objects(_ subject: LintSubject) -> [Breach] {
        subject.translations.flatMap { object($0, subject.tree) }
    }

    private static func object(_ object: Int, _ tree: JSONTree) -> [Breach] {
        var (key, list): (Int?, Int?)
        var strangers: [Stranger] = []
        for node in tree.children(of: object) {
            let name = tree.key(of: node) ?? ""
            switch name {
            case "loc-key": key = node
            case "loc-args": list = node
            // Of very many only those are looked at that can be mended.
            case _ where strangers.count < LintSubject.mostFindings || names.hasSpelling(name):
                strangers.append((node, name, Misspelling(name, of: names)))
            default: break
            }
        }
        let counts = Dictionary(strangers.compactMap { $0.found.map { ($0.meant, 1) } }, uniquingKeysWith: +)
        let known = (key == nil ? [] : ["loc-key"]) + (list == nil ? [] : ["loc-args"])
        let odd = strangers.map { stranger in
            let meant = stranger.found?.meant ?? ""
            return self.stranger(stranger, isAlone: counts[meant] == 1 && !known.contains(meant), tree)
        }
        return (key.map { self.key($0, tree) } ?? []) + (list.map { arguments($0, tree) } ?? []) + odd
            + (key == nil && counts["loc-key"] == nil ? [withoutKey(object, list)] : [])
    }

    private static func key(_ node: Int, _ tree: JSONTree) -> [Breach] {
        guard tree.nodes[node].kind != .string else { return [] }
        return [
            Breach(
                .value(node), "\"loc-key\" is \(tree.nodes[node].kind.noun); Apple documents a text.",
                "Write it in quotation marks.")
        ]
    }

    private static func arguments(_ node: Int, _ tree: JSONTree) -> [Breach] {
        guard tree.nodes[node].kind == .array else {
            return [
                Breach(
                    .value(node),
                    "\"loc-args\" is \(tree.nodes[node].kind.noun); Apple documents a list of texts.",
                    "Write [\"one\",\"two\"], or leave it out.")
            ]
        }
        return tree.children(of: node).filter { tree.nodes[$0].kind != .string }.map { element in
            Breach(
                .value(element),
                "\"loc-args\" holds \(tree.nodes[element].kind.noun); Apple documents a list of texts.",
                "Write it in quotation marks.")
        }
    }

    private static func stranger(_ stranger: Stranger, isAlone: Bool, _ tree: JSONTree) -> Breach {
        let shown = PeerText.printable(String(stranger.name.prefix(40)))
        guard let found = stranger.found else {
            return Breach(
                .key(stranger.node), "\"\(shown)\" is no key of a translated text.", "Leave it out.", severity: .warning
            )
        }
        let edits = tree.keyRange(of: stranger.node).map { [JSONEdit($0, "\"\(found.meant)\"")] } ?? []
        return Breach(
            .key(stranger.node), "\"\(shown)\" is no key of Apple's; \"\(found.meant)\" is.",
            "Write \"\(found.meant)\".", edits: found.isCertain && isAlone ? edits : [])
    }

    private static func withoutKey(_ object: Int, _ arguments: Int?) -> Breach {
        let advice = "Add \"loc-key\", or write a text instead of the object."
        guard let arguments else { return Breach(.value(object), "The object has no \"loc-key\".", advice) }
        return Breach(.key(arguments), "\"loc-args\" is there without \"loc-key\".", advice)
    }
}

extension LintSubject {
    /// Objects in the place of texts, where they may stand.
    var translations: [Int] {
        guard isLiveActivity else { return [] }
        return [KnownKey.title, .subtitle, .body].compactMap { self[$0] }.filter { tree.nodes[$0].kind == .object }
    }
}
