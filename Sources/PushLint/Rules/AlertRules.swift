internal import PushJSON
internal import PushPlatform
internal import PushProvider

/// Rules about the alert: its texts, its translations, and how it interrupts the user.
enum AlertRules {
    static let rules: [LintRule] = [
        LintRule(
            "empty-alert", .warning, title: "An alert has a text",
            explanation: "An alert without title, subtitle and body shows nothing.",
            remedy: "Add a body, or remove the alert.", source: RuleSource.payload, check: .single(empty)),
        LintRule(
            "key-with-text", .warning,
            title: "A text comes from the payload or from the app's translations, not from both",
            explanation: "title-loc-key replaces title, subtitle-loc-key replaces subtitle, loc-key replaces body.",
            remedy: "Remove one of the two.", source: RuleSource.payload, check: .payload(twins)),
        LintRule(
            "loc-args-without-key", .warning, title: "Arguments need a key",
            explanation: "loc-args fill the placeholders of the text for loc-key. Without loc-key they have no effect.",
            remedy: "Add the key, or remove the arguments.", source: RuleSource.payload,
            check: .payload(lonelyArguments)),
        LintRule(
            "loc-args-count", .warning, title: "The number of arguments matches the number of placeholders",
            explanation: """
                If the key is itself the format, its placeholders can be counted: %@, %1$@. If an argument is missing, the \
                device shows the key instead of the text.
                """,
            remedy: "Give one argument for each placeholder.", source: RuleSource.payload,
            check: .payload(argumentCount)),
        LintRule(
            "summary-arg-count", .error, title: "summary-arg-count is a whole number above 0",
            explanation:
                "It is the number that this notification adds to the summary of its group, at least 1.",
            remedy: "Write a whole number above 0, or remove the key.", source: RuleSource.payload,
            check: .single(summaryCount)),
        LintRule(
            "title-beside-aps", .note, title: "A title that the system shows is in alert",
            explanation: """
                A title at the outermost level is a custom key, and the system doesn't show it. This is correct if the app \
                shows the title itself.
                """,
            remedy: "To show it, move it into \"aps\":{\"alert\":{...}}.", source: RuleSource.payload,
            check: .single(titleBesideAps)),
        LintRule(
            "interruption-level", .error, aliases: ["L8"],
            title: "interruption-level is passive, active, time-sensitive or critical",
            explanation: "Any other value is ignored, and the notification is active.",
            remedy: "Write one of these four values.", source: RuleSource.payload, check: .single(interruption)),
        LintRule(
            "relevance-score", .error, title: "relevance-score is a number from 0 to 1",
            explanation: "The summary is sorted by it. In a Live Activity any number is valid.",
            remedy: "Write a number from 0 to 1.", source: RuleSource.payload, check: .single(relevance)),
    ]

    /// Each text of an alert, the key that replaces it with a translation, and the arguments of that key.
    private static let texts: [(text: KnownKey, key: KnownKey, arguments: KnownKey)] = [
        (.title, .titleLocKey, .titleLocArgs), (.subtitle, .subtitleLocKey, .subtitleLocArgs),
        (.body, .locKey, .locArgs),
    ]

    // MARK: Rules

    static func empty(_ subject: LintSubject) -> RuleFinding? {
        // The start of a Live Activity must not lose its alert, so another rule asks for the text.
        guard let alert = subject[.alert], !subject.hasText, !subject.requires(.alert),
            !KeyRules.areMisspelt(LintSubject.textKeys, subject)
        else { return nil }
        switch subject.tree.nodes[alert].kind {
        case .string:
            return RuleFinding(.value(alert), "The alert is an empty string.", "Add text, or remove the alert.")
        case .object:
            return RuleFinding(.value(alert), "The alert has no text.", "Add a \"body\", or remove the alert.")
        default: return nil
        }
    }

    static func twins(_ subject: LintSubject) -> [RuleFinding] {
        texts.compactMap { text, key, _ in
            guard let node = subject[text], subject.isGiven(text), subject.isGiven(key) else { return nil }
            return RuleFinding(
                .key(node),
                "The alert has both \"\(text.name)\" and \"\(key.name)\"; \"\(key.name)\" replaces \"\(text.name)\".",
                "Remove one of the two.")
        }
    }

    static func lonelyArguments(_ subject: LintSubject) -> [RuleFinding] {
        texts.compactMap { _, key, arguments in
            // Some encoders write an empty array if there are no arguments.
            guard let node = subject[arguments], subject.holdsSomething(arguments), !subject.has(key) else {
                return nil
            }
            return RuleFinding(
                .key(node), "\"\(arguments.name)\" has no effect without \"\(key.name)\".",
                "Add \"\(key.name)\", or remove the arguments.")
        }
    }

    static func argumentCount(_ subject: LintSubject) -> [RuleFinding] {
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

    private static func argumentCount(_ key: Int, _ arguments: Int?, _ tree: JSONTree) -> RuleFinding? {
        guard let format = tree.text(of: key), format.contains("%") else { return nil }
        guard let wanted = FormatArguments.count(in: format) else { return nil }
        let given = arguments.map { tree.children(of: $0).reduce(0) { count, _ in count + 1 } } ?? 0
        guard wanted > 0, wanted != given else { return nil }
        let name = tree.key(of: key) ?? ""
        return RuleFinding(
            .value(key), "\"\(name)\" has \(wanted) placeholders, but the number of arguments is \(given).",
            "Give \(wanted) in \"\(name.dropLast("key".count))args\".")
    }

    static func summaryCount(_ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[.summaryArgCount], let count = subject.tree.number(of: node) else { return nil }
        guard count < 1 || count != count.rounded() || TypeRules.isTooLarge(count, subject.tree.spelling(of: node))
        else { return nil }
        return RuleFinding(
            .value(node),
            "The summary-arg-count \(subject.tree.spelling(of: node).prefix(40)) isn't a whole number above 0.",
            "Write a whole number above 0, or remove the key.")
    }

    static func titleBesideAps(_ subject: LintSubject) -> RuleFinding? {
        guard subject.has(.aps), subject.type == .alert, !subject.has(.title), !subject.has(.titleLocKey),
            let title = subject.tree.member("title", of: JSONTree.root)
        else { return nil }
        return RuleFinding(
            .key(title), "\"title\" is next to \"aps\", and the alert has no title.",
            "To show it, move it into \"aps\":{\"alert\":{...}}.")
    }

    static let levels = ["passive", "active", "time-sensitive", "critical"]

    static func interruption(_ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[.interruptionLevel], let level = subject.tree.text(of: node), !levels.contains(level)
        else { return nil }
        let shown = PeerText.printable(String(level.prefix(40)))
        let found = Misspelling(level, of: levels)
        return RuleFinding(
            .value(node), "Unknown interruption level \"\(shown)\".",
            found.map { "Write \"\($0.meant)\"." } ?? "Write passive, active, time-sensitive or critical.",
            edits: found?.isCertain == true
                ? [JSONEdit(subject.tree.range(of: node), "\"\(found?.meant ?? "")\"")] : [])
    }

    static func relevance(_ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[.relevanceScore], let score = subject.tree.number(of: node), !(0...1).contains(score),
            !subject.isLiveActivity
        else { return nil }
        return RuleFinding(
            .value(node), "The relevance score \(subject.tree.spelling(of: node)) isn't between 0 and 1.",
            "Write a number from 0 to 1.")
    }
}

/// The placeholders in a format: `%@`, `%1$@`, `%lld`, `%5.2f`; `%%` is a percent sign.
enum FormatArguments {
    /// Returns the number of placeholders; `nil` if a percent sign may be plain text.
    static func count(in format: String) -> Int? {
        var (running, highest) = (0, 0)
        var rest = Array(format.utf8)[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(start + 1)...]
            if rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                continue
            }
            guard let argument = Argument(&rest) else { return nil }
            if let number = argument.number { highest = max(highest, number) } else { running += 1 }
        }
        return max(running, highest)
    }

    private struct Argument {
        /// For `%1$@`: 1.
        var number: Int?

        /// Reads a placeholder after its percent sign.
        init?(_ rest: inout ArraySlice<UInt8>) {
            let digits = rest.prefix(while: \.isASCIIDigit)
            if rest.dropFirst(digits.count).first == UInt8(ascii: "$") {
                guard let number = Int(String(decoding: digits, as: UTF8.self)), (1..<100).contains(number) else {
                    return nil
                }
                self.number = number
                rest = rest.dropFirst(digits.count + 1)
            }
            rest = rest.drop { Self.flags.contains($0) || $0.isASCIIDigit }
            rest = rest.drop { Self.lengths.contains($0) }
            guard let conversion = rest.popFirst(), Self.conversions.contains(conversion) else { return nil }
            // "20%discount" has no placeholder.
            if conversion != UInt8(ascii: "@"), let next = rest.first, (0x61...0x7A).contains(next | 0x20) {
                return nil
            }
        }

        private static let flags = Array("+-#'.".utf8)
        private static let lengths = Array("hlqLzjt".utf8)
        private static let conversions = Array("@dDiuUxXoOfFeEgGaAcCsSp".utf8)
    }
}
