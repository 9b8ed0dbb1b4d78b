package import PushJSON

/// The result of a check that found a problem. The rule and the position in the payload are added later.
package struct RuleFinding {
    /// The part of the notification that has the problem.
    package enum Part: Sendable {
        /// The value of a node.
        case value(Int)
        /// The key of a node.
        case key(Int)
        case payload
        /// A header, by its name.
        case header(String)
    }

    var part: Part
    package var problem: String
    package var advice: String
    package var edits: [JSONEdit] = []
    /// The severity, if it differs from the severity of the rule.
    package var severity: PushFinding.Severity?

    package init(
        _ part: Part, _ problem: String, _ advice: String, edits: [JSONEdit] = [], severity: PushFinding.Severity? = nil
    ) {
        self.part = part
        self.problem = problem
        self.advice = advice
        self.edits = edits
        self.severity = severity
    }
}

extension RuleFinding {
    /// Returns the finding for a rule's finding in a payload.
    ///
    /// - Parameters:
    ///   - rule: The id of the rule.
    ///   - severity: The severity of the rule.
    ///   - positions: The lines and paths of the payload.
    /// - Returns: The finding, with its location.
    package func finding(rule: String, severity: PushFinding.Severity, _ positions: TreePositions) -> PushFinding {
        let (name, range) = located(in: positions)
        return PushFinding(
            severity: self.severity ?? severity, rule: rule, subject: name,
            location: range.map { PushFinding.Location($0, positions.line(of: $0.lowerBound)) }, problem: problem,
            advice: advice, edits: edits)
    }

    /// Returns the finding for a rule's finding outside the payload.
    package func finding(rule: String, severity: PushFinding.Severity) -> PushFinding {
        var name = "payload"
        if case .header(let header) = part { name = header }
        return PushFinding(
            severity: self.severity ?? severity, rule: rule, subject: name, problem: problem, advice: advice)
    }

    private func located(in positions: TreePositions) -> (name: String, range: Range<Int>?) {
        let tree = positions.tree
        switch part {
        case .value(let node): return (positions.path(of: node), tree.range(of: node))
        case .key(let node): return (positions.path(of: node), tree.keyRange(of: node) ?? tree.range(of: node))
        case .payload:
            let start = tree.range(of: JSONTree.root).lowerBound
            return ("payload", start..<(start + 1))
        case .header(let name): return (name, nil)
        }
    }
}

extension PushFinding {
    /// An error about a header field, or about another part of a request outside of the payload.
    static func error(_ rule: String, about header: String, _ problem: String, _ advice: String) -> PushFinding {
        PushFinding(severity: .error, rule: rule, subject: header, problem: problem, advice: advice)
    }
}

extension [PushFinding] {
    /// The findings sorted by position in the payload. Findings at the same position keep their order.
    package var sortedByPosition: [PushFinding] {
        guard count > 1 else { return self }
        return enumerated().sorted { left, right in
            let parts = (left.element.location?.bytes.lowerBound ?? 0, right.element.location?.bytes.lowerBound ?? 0)
            return parts.0 != parts.1 ? parts.0 < parts.1 : left.offset < right.offset
        }.map(\.element)
    }
}
