internal import PushJSON
internal import PushProvider

/// Rules about the objects that may replace a string in the alert of a Live Activity.
enum TranslationRules {
    static let rules: [LintRule] = [
        LintRule(
            "translation-object", .error, title: "A translated text of a Live Activity has loc-key and loc-args",
            explanation: """
                In the alert of a Live Activity, title, subtitle and body may each be an object with the key of a translation and \
                an array of arguments. Other keys in it are ignored, and without loc-key there is no text.
                """,
            remedy: "Write {\"loc-key\":\"KEY\",\"loc-args\":[\"one\"]}.", source: RuleSource.liveActivities,
            check: .payload(objects))
    ]

    private static let names = Vocabulary(["loc-key", "loc-args"])

    /// A member with an unknown key, and the key that was probably meant.
    private typealias UnknownKey = (node: Int, name: String, found: Misspelling?)

    static func objects(_ subject: LintSubject) -> [RuleFinding] {
        subject.translations.flatMap { object($0, subject.tree) }
    }

    private static func object(_ object: Int, _ tree: JSONTree) -> [RuleFinding] {
        var (key, list): (Int?, Int?)
        var unknownKeys: [UnknownKey] = []
        for node in tree.children(of: object) {
            let name = tree.key(of: node) ?? ""
            switch name {
            case "loc-key": key = node
            case "loc-args": list = node
            // If there are very many, only those that can be repaired are kept.
            case _ where unknownKeys.count < LintSubject.maximumFindings || names.hasSpelling(name):
                unknownKeys.append((node, name, Misspelling(name, of: names)))
            default: break
            }
        }
        let counts = Dictionary(unknownKeys.compactMap { $0.found.map { ($0.meant, 1) } }, uniquingKeysWith: +)
        let known = (key == nil ? [] : ["loc-key"]) + (list == nil ? [] : ["loc-args"])
        let odd = unknownKeys.map { unknownKey in
            let meant = unknownKey.found?.meant ?? ""
            return finding(unknownKey, isAlone: counts[meant] == 1 && !known.contains(meant), tree)
        }
        return (key.map { self.key($0, tree) } ?? []) + (list.map { arguments($0, tree) } ?? []) + odd
            + (key == nil && counts["loc-key"] == nil ? [withoutKey(object, list)] : [])
    }

    private static func key(_ node: Int, _ tree: JSONTree) -> [RuleFinding] {
        guard tree.nodes[node].kind != .string else { return [] }
        return [
            RuleFinding(
                .value(node), "\"loc-key\" is \(tree.nodes[node].kind.noun); Apple documents a string.",
                "Put it in quotation marks.")
        ]
    }

    private static func arguments(_ node: Int, _ tree: JSONTree) -> [RuleFinding] {
        guard tree.nodes[node].kind == .array else {
            return [
                RuleFinding(
                    .value(node),
                    "\"loc-args\" is \(tree.nodes[node].kind.noun); Apple documents an array of strings.",
                    "Write [\"one\",\"two\"], or remove the key.")
            ]
        }
        return tree.children(of: node).filter { tree.nodes[$0].kind != .string }.map { element in
            RuleFinding(
                .value(element),
                "\"loc-args\" contains \(tree.nodes[element].kind.noun); Apple documents an array of strings.",
                "Put it in quotation marks.")
        }
    }

    private static func finding(_ unknownKey: UnknownKey, isAlone: Bool, _ tree: JSONTree) -> RuleFinding {
        let shown = PeerText.printable(String(unknownKey.name.prefix(40)))
        guard let found = unknownKey.found else {
            return RuleFinding(
                .key(unknownKey.node), "Unknown key \"\(shown)\" in a translated text.", "Remove the key.",
                severity: .warning)
        }
        let edits = tree.keyRange(of: unknownKey.node).map { [JSONEdit($0, "\"\(found.meant)\"")] } ?? []
        return RuleFinding(
            .key(unknownKey.node), "Unknown key \"\(shown)\".",
            "Did you mean \"\(found.meant)\"?", edits: found.isCertain && isAlone ? edits : [])
    }

    private static func withoutKey(_ object: Int, _ arguments: Int?) -> RuleFinding {
        let advice = "Add \"loc-key\", or write a string instead of the object."
        guard let arguments else { return RuleFinding(.value(object), "The object has no \"loc-key\".", advice) }
        return RuleFinding(.key(arguments), "\"loc-args\" has no effect without \"loc-key\".", advice)
    }
}

extension LintSubject {
    /// The objects that replace a string in the alert; empty if the push is not a Live Activity.
    var translations: [Int] {
        guard isLiveActivity else { return [] }
        return [KnownKey.title, .subtitle, .body].compactMap { self[$0] }.filter { tree.nodes[$0].kind == .object }
    }
}
