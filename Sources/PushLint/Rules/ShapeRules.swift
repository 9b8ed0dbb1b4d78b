internal import PushJSON
internal import PushProvider

/// Rules about the shape of a payload: an object with one `aps`, every key once, no larger than Apple takes.
enum ShapeRules {
    static let rules: [LintRule] = [
        LintRule(
            "not-an-object", .error, title: "A payload is an object",
            explanation: "It is JSON, but a list, a text or a number.",
            remedy: "Begin with {, and put \"aps\" into it.",
            source: RuleSource.payload, check: .text),
        LintRule(
            "aps-not-an-object", .error, title: "\"aps\" is an object",
            explanation: "What the system shows stands in it.", remedy: "Write \"aps\":{\"alert\":\"Hello\"}.",
            source: RuleSource.payload, check: .text),
        LintRule(
            "payload-too-large", .error, aliases: ["L13"], title: "A payload has at most 4096 bytes",
            explanation: """
                Calls (voip) and broadcasts may have 5120. The bytes that are sent count, spaces and line breaks included. APNs answers \
                PayloadTooLarge.
                """,
            remedy: PayloadChecks.smaller, source: RuleSource.sending, check: .payload(size)),
        LintRule(
            "duplicate-key", .error, title: "No key stands twice in one object",
            explanation: "RFC 8259 leaves open which of the two counts, and readers differ.",
            remedy: "Remove one of them.",
            source: RuleSource.json, check: .payload(duplicates)),
        LintRule(
            "nested-aps", .warning, title: "\"aps\" stands at the outermost level",
            explanation: """
                There is an "aps", but inside of another object: the form of a service in between, or of its API. \
                APNs looks at the outermost level only.
                """,
            remedy: "Send what stands around \"aps\" without its wrapping.", source: RuleSource.payload,
            check: .payload(nestedAps)),
    ]

    // MARK: Size

    static func size(_ subject: LintSubject) -> [Breach] {
        let breach = PayloadChecks.tooLarge(subject.byteCount, subject.request) { Breakdown(subject.tree).words }
        return breach.map { [$0] } ?? []
    }

    // MARK: Keys

    static func duplicates(_ subject: LintSubject) -> [Breach] {
        var breaches: [Breach] = []
        for node in subject.tree.nodes.indices where subject.tree.nodes[node].kind == .object {
            let pairs = subject.tree.duplicates(in: node)
            // Where any of several says something else, taking one away may change which of them counts.
            let ambiguous = Set(pairs.filter { !isSame($0.first, $0.again, subject.tree) }.map(\.first))
            for (first, again) in pairs {
                guard breaches.count < subject.mostOfOneRule else { return breaches }
                breaches.append(duplicate(again, of: first, isCertain: !ambiguous.contains(first), subject))
            }
        }
        return breaches
    }

    private static func isSame(_ first: Int, _ again: Int, _ tree: JSONTree) -> Bool {
        tree.bytes[tree.range(of: first)].elementsEqual(tree.bytes[tree.range(of: again)])
    }

    private static func duplicate(
        _ again: Int, of first: Int, isCertain: Bool, _ subject: LintSubject
    ) -> Breach {
        let tree = subject.tree
        let name = PeerText.printable(String((tree.key(of: again) ?? "").prefix(40)))
        let place = subject.places.line(of: tree.keyRange(of: first)?.lowerBound ?? 0)
        let isSame = isSame(first, again, tree)
        let edits = isSame && isCertain ? tree.removal(of: again).map { [$0] } ?? [] : []
        return Breach(
            .key(again), "The key \"\(name)\" is there already, in line \(place.line), column \(place.column).",
            isSame ? "Remove one of them; they say the same." : "Remove one of them.", edits: edits)
    }

    static func nestedAps(_ subject: LintSubject) -> [Breach] {
        // What needs no `aps` may have anything anywhere.
        guard !subject.has(.aps), subject.mayAlert || subject.type == .background else { return [] }
        // What wraps it has a name.
        guard ForeignRules.form(subject).isEmpty else { return [] }
        let tree = subject.tree
        let nested = tree.nodes.indices.first { tree.nodes[$0].kind == .object && tree.hasKey("aps", $0) }
        guard let nested else { return [] }
        let path = subject.places.path(of: nested).dropFirst("payload.".count).dropLast(".aps".count)
        return [
            Breach(
                .key(nested), "\"aps\" stands inside of \"\(path)\", where APNs does not look for it.",
                "Send what \"\(path)\" holds, without the object around it.")
        ]
    }
}

extension JSONTree {
    /// Members that have the key of an earlier one in the same object.
    fileprivate func duplicates(in object: Int) -> [(first: Int, again: Int)] {
        var count = 0
        for _ in children(of: object) { count += 1 }
        // In few members looking is faster than hashing.
        return count <= 16 ? duplicatesByLooking(in: object) : duplicatesByHashing(in: object)
    }

    private func duplicatesByLooking(in object: Int) -> [(first: Int, again: Int)] {
        var found: [(first: Int, again: Int)] = []
        for child in children(of: object) {
            for earlier in children(of: object) {
                guard earlier < child else { break }
                if sameKey(earlier, child) {
                    found.append((earlier, child))
                    break
                }
            }
        }
        return found
    }

    private func duplicatesByHashing(in object: Int) -> [(first: Int, again: Int)] {
        var found: [(first: Int, again: Int)] = []
        // By their bytes: to Swift, é is the same whether it is one character or two.
        var known: [[UInt8]: Int] = [:]
        for child in children(of: object) {
            let key = Array((key(of: child) ?? "").utf8)
            if let first = known[key] { found.append((first, child)) } else { known[key] = child }
        }
        return found
    }

    private func sameKey(_ left: Int, _ right: Int) -> Bool {
        if nodes[left].keyHasEscapes || nodes[right].keyHasEscapes {
            return (key(of: left) ?? "").utf8.elementsEqual((key(of: right) ?? "").utf8)
        }
        let (left, right) = (nodes[left], nodes[right])
        guard left.keyEnd - left.keyStart == right.keyEnd - right.keyStart else { return false }
        return bytes[Int(left.keyStart)..<Int(left.keyEnd)].elementsEqual(
            bytes[Int(right.keyStart)..<Int(right.keyEnd)])
    }

    /// What takes a member away that is not the first in its object: with the comma before it.
    fileprivate func removal(of member: Int) -> JSONEdit? {
        guard let key = keyRange(of: member) else { return nil }
        var start = key.lowerBound
        while start > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1]) { start -= 1 }
        guard start > 0, bytes[start - 1] == UInt8(ascii: ",") else { return nil }
        return JSONEdit((start - 1)..<range(of: member).upperBound, "")
    }
}
