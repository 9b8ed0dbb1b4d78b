internal import PushJSON
internal import PushProvider

/// Rules about the alert: its texts, translations, and how it interrupts.
enum AlertRules {
    static let rules: [LintRule] = [
        LintRule(
            "empty-alert", .warning, title: "An alert has a text",
            explanation: "An alert without title, subtitle and body shows nothing.",
            remedy: "Give it a body, or leave the alert out.", source: RuleSource.payload, check: .payload(empty)),
        LintRule(
            "key-with-text", .warning,
            title: "A text comes from the payload or from the app's translations, not from both",
            explanation: "title-loc-key stands in the place of title, subtitle-loc-key of subtitle, loc-key of body.",
            remedy: "Leave one of them out.", source: RuleSource.payload, check: .payload(twins)),
        LintRule(
            "loc-args-without-key", .warning, title: "Arguments belong to a key",
            explanation: "loc-args fill the places in the text that loc-key names; without it they go nowhere.",
            remedy: "Add the key, or leave the arguments out.", source: RuleSource.payload,
            check: .payload(lonelyArguments)),
        LintRule(
            "loc-args-count", .warning, title: "There are as many arguments as places for them",
            explanation: """
                Where the key is the format itself, its places can be counted: %@, %1$@. A place without an argument shows \
                the key instead of the text.
                """,
            remedy: "Give an argument for each place.", source: RuleSource.payload, check: .payload(argumentCount)),
        LintRule(
            "summary-arg-count", .error, title: "summary-arg-count is a whole number above 0",
            explanation:
                "It says for how many a notification stands in the summary of its group; each stands for one at least.",
            remedy: "Write a whole number above 0, or leave it out.", source: RuleSource.payload,
            check: .payload(summaryCount)),
        LintRule(
            "title-beside-aps", .note, title: "The title to be shown stands in alert",
            explanation: """
                A title at the outermost level is the app's own, and the system does not show it. An app with an interface of \
                its own may want just that.
                """,
            remedy: "Move it into \"aps\":{\"alert\":{...}} when it is to be shown.", source: RuleSource.payload,
            check: .payload(titleBesideAps)),
        LintRule(
            "interruption-level", .error, aliases: ["L8"],
            title: "interruption-level is passive, active, time-sensitive or critical",
            explanation: "Any other word is passed over, and the notification is active.",
            remedy: "Write one of the four.", source: RuleSource.payload, check: .payload(interruption)),
        LintRule(
            "relevance-score", .error, title: "relevance-score is a number from 0 to 1",
            explanation: "The summary sorts by it. In a Live Activity any number will do.",
            remedy: "Write a number from 0 to 1.", source: RuleSource.payload, check: .payload(relevance)),
    ]

    /// A text, what stands for it in the app's translations, and its arguments.
    private static let texts: [(text: KnownKey, key: KnownKey, arguments: KnownKey)] = [
        (.title, .titleLocKey, .titleLocArgs), (.subtitle, .subtitleLocKey, .subtitleLocArgs),
        (.body, .locKey, .locArgs),
    ]

    // MARK: Rules

    static func empty(_ subject: LintSubject) -> [Breach] {
        guard let alert = subject[.alert], !subject.hasText, !KeyRules.areMisspelt(LintSubject.textKeys, subject) else {
            return []
        }
        switch subject.tree.nodes[alert].kind {
        case .string: return [Breach(.value(alert), "The alert is an empty text.", "Give it a text, or leave it out.")]
        case .object:
            return [Breach(.value(alert), "The alert has no text.", "Give it a \"body\", or leave it out.")]
        default: return []
        }
    }

    static func twins(_ subject: LintSubject) -> [Breach] {
        texts.compactMap { text, key, _ in
            guard let node = subject[text], subject.isGiven(text), subject.isGiven(key) else { return nil }
            return Breach(
                .key(node),
                "\"\(text.name)\" and \"\(key.name)\" are both there; one stands in the place of the other.",
                "Leave one of them out.")
        }
    }

    static func lonelyArguments(_ subject: LintSubject) -> [Breach] {
        texts.compactMap { _, key, arguments in
            // Encoders write an empty list for none.
            guard let node = subject[arguments], subject.holdsSomething(arguments), !subject.has(key) else {
                return nil
            }
            return Breach(
                .key(node), "\"\(arguments.name)\" is there without \"\(key.name)\".",
                "Add \"\(key.name)\", or leave the arguments out.")
        }
    }

    static func argumentCount(_ subject: LintSubject) -> [Breach] {
        let plain = texts.compactMap { _, key, arguments in
            subject[key].map { (key: $0, arguments: subject[arguments]) }
        }
        let translated = subject.translations.compactMap { object in
            subject.tree.member("loc-key", of: object).map {
                (key: $0, arguments: subject.tree.member("loc-args", of: object))
            }
        }
        return (plain + translated).compactMap { key, arguments in argumentCount(key, arguments, subject.tree) }
    }

    private static func argumentCount(_ key: Int, _ arguments: Int?, _ tree: JSONTree) -> Breach? {
        guard let format = tree.text(of: key), format.contains("%") else { return nil }
        guard let wanted = FormatPlaces.count(in: format) else { return nil }
        let given = arguments.map { tree.children(of: $0).reduce(0) { count, _ in count + 1 } } ?? 0
        guard wanted > 0, wanted != given else { return nil }
        let name = tree.key(of: key) ?? ""
        return Breach(
            .value(key), "\"\(name)\" has \(wanted) places for arguments, and there are \(given).",
            "Give as many in \"\(name.dropLast("key".count))args\".")
    }

    static func summaryCount(_ subject: LintSubject) -> [Breach] {
        guard let node = subject[.summaryArgCount], let count = subject.tree.number(of: node) else { return [] }
        guard count < 1 || count != count.rounded() else { return [] }
        return [
            Breach(
                .value(node),
                "The summary-arg-count \(subject.tree.spelling(of: node).prefix(40)) is no whole number above 0.",
                "Write a whole number above 0, or leave it out.")
        ]
    }

    static func titleBesideAps(_ subject: LintSubject) -> [Breach] {
        guard subject.has(.aps), subject.type == .alert, !subject.has(.title), !subject.has(.titleLocKey),
            let title = subject.tree.member("title", of: JSONTree.root)
        else { return [] }
        return [
            Breach(
                .key(title), "\"title\" stands beside \"aps\" and not in the alert, which has none.",
                "Move it into \"aps\":{\"alert\":{...}} when it is to be shown.")
        ]
    }

    static func interruption(_ subject: LintSubject) -> [Breach] {
        let levels = ["passive", "active", "time-sensitive", "critical"]
        guard let node = subject[.interruptionLevel], let level = subject.tree.text(of: node), !levels.contains(level)
        else { return [] }
        let shown = PeerText.printable(String(level.prefix(40)))
        let found = Misspelling(level, of: levels)
        return [
            Breach(
                .value(node), "\"\(shown)\" is no interruption level.",
                found.map { "Write \"\($0.meant)\"." } ?? "Write passive, active, time-sensitive or critical.",
                edits: found?.isCertain == true
                    ? [JSONEdit(subject.tree.range(of: node), "\"\(found?.meant ?? "")\"")] : [])
        ]
    }

    static func relevance(_ subject: LintSubject) -> [Breach] {
        guard let node = subject[.relevanceScore], let score = subject.tree.number(of: node), !(0...1).contains(score),
            !subject.isLiveActivity
        else { return [] }
        return [
            Breach(
                .value(node), "The relevance score \(subject.tree.spelling(of: node)) is not between 0 and 1.",
                "Write a number from 0 to 1.")
        ]
    }
}

/// The places for arguments in a format: `%@`, `%1$@`, `%lld`, `%5.2f`; `%%` is a per cent sign.
enum FormatPlaces {
    /// - Returns: How many; `nil` where a per cent sign may be meant as one.
    static func count(in format: String) -> Int? {
        var (running, highest) = (0, 0)
        var rest = Array(format.utf8)[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(start + 1)...]
            if rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                continue
            }
            guard let place = Place(&rest) else { return nil }
            if let number = place.number { highest = max(highest, number) } else { running += 1 }
        }
        return max(running, highest)
    }

    private struct Place {
        /// For `%1$@`: 1.
        var number: Int?

        /// Takes what stands behind a per cent sign.
        init?(_ rest: inout ArraySlice<UInt8>) {
            let digits = rest.prefix(while: Self.isDigit)
            if rest.dropFirst(digits.count).first == UInt8(ascii: "$") {
                guard let number = Int(String(decoding: digits, as: UTF8.self)), (1..<100).contains(number) else {
                    return nil
                }
                self.number = number
                rest = rest.dropFirst(digits.count + 1)
            }
            rest = rest.drop { Self.flags.contains($0) || Self.isDigit($0) }
            rest = rest.drop { Self.lengths.contains($0) }
            guard let conversion = rest.popFirst(), Self.conversions.contains(conversion) else { return nil }
            // "20%discount" has no place for an argument.
            if conversion != UInt8(ascii: "@"), let next = rest.first, (0x61...0x7A).contains(next | 0x20) {
                return nil
            }
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        private static let flags = Array("+-#'.".utf8)
        private static let lengths = Array("hlqLzjt".utf8)
        private static let conversions = Array("@dDiuUxXoOfFeEgGaAcCsSp".utf8)
    }
}
