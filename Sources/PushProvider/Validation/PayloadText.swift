package import PushJSON

/// The text of a payload as the lint reads it: the mistakes in the text, and its values if they can be read.
package struct PayloadText {
    /// The mistakes in the text itself.
    package private(set) var findings: [PushFinding] = []
    /// The values of the payload; `nil` if it is not an object, or could not be read to the end.
    package private(set) var tree: JSONTree?
    /// The ranges whose meaning is uncertain.
    private var mistaken: [Range<Int>] = []

    /// Reads a payload. A tree that was parsed before is used again.
    package init(_ bytes: [UInt8], _ reading: PayloadFacts, _ read: JSONTree?) {
        if reading.problem == nil || reading.problem == .notFinite, let tree = read ?? PayloadFacts.tree(of: bytes) {
            self.tree = tree
            if reading.problem == .notFinite { findings = [Self.notFinite] }
            return
        }
        let found = JSONReader.examine(bytes)
        mistaken = found.mistakes.filter(\.edits.isEmpty).map(\.range)
        findings = found.mistakes.map { Self.finding($0, TextPosition(of: $0.range.lowerBound, in: bytes)) }
        guard let tree = found.tree else { return }
        if tree.nodes[JSONTree.root].kind != .object {
            findings.append(Self.finding("not-an-object", tree, JSONTree.root))
        } else if let aps = tree.member("aps", of: JSONTree.root), tree.nodes[aps].kind != .object {
            findings.append(Self.finding("aps-not-an-object", tree, aps))
        } else {
            self.tree = tree
        }
    }

    /// Whether the meaning of the text at this location is certain.
    package func isSound(_ location: PushFinding.Location?) -> Bool {
        guard let location else { return true }
        return !mistaken.contains { $0.overlaps(location.bytes) && location.bytes.count <= $0.count }
    }

    // MARK: Findings

    package static func finding(_ mistake: JSONMistake, _ position: TextPosition) -> PushFinding {
        PushFinding(
            severity: .error, rule: mistake.kind.rawValue, subject: "payload",
            location: PushFinding.Location(mistake.range, position), problem: mistake.problem + ".",
            advice: mistake.advice,
            edits: mistake.edits)
    }

    private static func finding(_ id: String, _ tree: JSONTree, _ node: Int) -> PushFinding {
        let isRoot = node == JSONTree.root
        let kind = tree.nodes[node].kind.noun
        return PushFinding(
            severity: .error, rule: id, subject: tree.path(of: node),
            location: PushFinding.Location(tree.range(of: node), in: tree.bytes),
            problem: isRoot ? "The payload is \(kind), not an object." : "\"aps\" is \(kind), not an object.",
            advice: isRoot ? "Begin with {, and add \"aps\"." : "Write \"aps\":{\"alert\":\"Hello\"}.")
    }

    private static let notFinite = PushFinding(
        severity: .error, rule: JSONMistake.Kind.notANumber.rawValue, subject: "payload",
        problem: "A number in the payload isn't finite; JSON has only finite numbers.",
        advice: "Use a finite number, or remove the key.")
}
