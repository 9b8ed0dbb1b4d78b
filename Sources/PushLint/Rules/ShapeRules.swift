internal import PushJSON
internal import PushPlatform
internal import PushProvider

/// Rules about the structure of a payload: an object with one `aps`, every key once, within Apple's size limit.
enum ShapeRules {
    static let rules: [LintRule] = [
        LintRule(
            "not-an-object", .error, title: "A payload is an object",
            explanation: "The payload is valid JSON, but an array, a string or a number.",
            remedy: "Begin with {, and add \"aps\".",
            source: RuleSource.payload, check: .elsewhere),
        LintRule(
            "aps-not-an-object", .error, title: "\"aps\" is an object",
            explanation: "It contains what the system shows.", remedy: "Write \"aps\":{\"alert\":\"Hello\"}.",
            source: RuleSource.payload, check: .elsewhere),
        LintRule(
            "payload-too-large", .error, aliases: ["L13"], title: "A payload is at most 4096 bytes",
            explanation: """
                Calls (voip) and broadcasts may have 5120. Spaces and line breaks count, if they are sent. APNs answers \
                PayloadTooLarge.
                """,
            remedy: PayloadChecks.smaller, source: RuleSource.sending, check: .single(size)),
        LintRule(
            "duplicate-key", .error, title: "Each key occurs once in an object",
            explanation: "RFC 8259 doesn't define which of the two counts, and parsers differ.",
            remedy: "Remove one of the two.",
            source: RuleSource.json, check: .payload(duplicates)),
        LintRule(
            "nested-aps", .warning, title: "\"aps\" is at the outermost level",
            explanation: """
                "aps" is inside another object, as in the API of another push service. APNs reads only the "aps" at the \
                outermost level.
                """,
            remedy: "Send the object that contains \"aps\", without the objects around it.", source: RuleSource.payload,
            check: .single(nestedAps)),
    ]

    // MARK: Size

    static func size(_ subject: LintSubject) -> RuleFinding? {
        PayloadChecks.tooLarge(subject.byteCount, subject.request) { Breakdown(subject.tree).text }
    }

    // MARK: Keys

    static func duplicates(_ subject: LintSubject) -> [RuleFinding] {
        var findings: [RuleFinding] = []
        for node in subject.tree.nodes.indices where subject.tree.nodes[node].kind == .object {
            let pairs = subject.tree.duplicates(in: node)
            // If the values of equal keys differ, removing one may change which value counts.
            let ambiguous = Set(pairs.filter { !isSame($0.first, $0.again, subject.tree) }.map(\.first))
            for (first, again) in pairs {
                guard findings.count < subject.maximumOfOneRule else { return findings }
                findings.append(duplicate(again, of: first, isCertain: !ambiguous.contains(first), subject))
            }
        }
        return findings
    }

    private static func isSame(_ first: Int, _ again: Int, _ tree: JSONTree) -> Bool {
        tree.bytes[tree.range(of: first)].elementsEqual(tree.bytes[tree.range(of: again)])
    }

    private static func duplicate(
        _ again: Int, of first: Int, isCertain: Bool, _ subject: LintSubject
    ) -> RuleFinding {
        let tree = subject.tree
        let name = PeerText.printable(String((tree.key(of: again) ?? "").prefix(40)))
        let position = subject.positions.line(of: tree.keyRange(of: first)?.lowerBound ?? 0)
        let isSame = isSame(first, again, tree)
        let edits = isSame && isCertain ? tree.removal(of: again).map { [$0] } ?? [] : []
        return RuleFinding(
            .key(again),
            "Duplicate key \"\(name)\". The first one is in line \(position.line), column \(position.column).",
            isSame ? "Remove one of the two; their values are equal." : "Remove one of the two.", edits: edits)
    }

    static func nestedAps(_ subject: LintSubject) -> RuleFinding? {
        // A push that needs no `aps` may have custom keys at any level.
        guard !subject.has(.aps), subject.mayAlert || subject.type == .background else { return nil }
        // The format of another service has its own finding.
        guard ForeignRules.form(subject) == nil else { return nil }
        let tree = subject.tree
        let nested = tree.nodes.indices.first { tree.nodes[$0].kind == .object && tree.hasKey("aps", $0) }
        guard let nested else { return nil }
        let path = subject.positions.path(of: nested).dropFirst("payload.".count).dropLast(".aps".count)
        return RuleFinding(
            .key(nested), "\"aps\" is inside \"\(path)\", so APNs ignores it.",
            "Send the contents of \"\(path)\", without the object around it.")
    }
}

extension JSONTree {
    /// The members whose key occurs earlier in the same object.
    fileprivate func duplicates(in object: Int) -> [(first: Int, again: Int)] {
        var count = 0
        for _ in children(of: object) { count += 1 }
        // For few members, comparing is faster than hashing.
        return count <= 16 ? duplicatesByComparing(in: object) : duplicatesByHashing(in: object)
    }

    private func duplicatesByComparing(in object: Int) -> [(first: Int, again: Int)] {
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
        // Keys are compared as bytes: Swift treats é as equal in one or two scalars.
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

    /// The edit that removes a member and the comma before it; `nil` for the first member of an object.
    fileprivate func removal(of member: Int) -> JSONEdit? {
        guard let key = keyRange(of: member) else { return nil }
        var start = key.lowerBound
        while start > 0, bytes[start - 1].isJSONSpace { start -= 1 }
        guard start > 0, bytes[start - 1] == UInt8(ascii: ",") else { return nil }
        return JSONEdit((start - 1)..<range(of: member).upperBound, "")
    }
}
