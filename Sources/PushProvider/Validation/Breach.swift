package import PushJSON

/// What a check has found, without what the table of rules and the bytes of the payload know.
package struct Breach {
    /// Where it is.
    package enum Place: Sendable {
        /// The value of a node.
        case value(Int)
        /// The key of a node.
        case key(Int)
        /// The payload as a whole.
        case payload
        /// A header, by its name.
        case header(String)
    }

    var place: Place
    var problem: String
    var advice: String
    package var edits: [JSONEdit] = []
    /// Where this breach is not as bad as most, or worse.
    package var severity: Finding.Severity?

    package init(
        _ place: Place, _ problem: String, _ advice: String, edits: [JSONEdit] = [], severity: Finding.Severity? = nil
    ) {
        self.place = place
        self.problem = problem
        self.advice = advice
        self.edits = edits
        self.severity = severity
    }
}

extension Breach {
    /// The finding for a breach in a payload.
    ///
    /// - Parameters:
    ///   - rule: The id of the rule.
    ///   - severity: How bad a breach of it usually is.
    ///   - places: The lines and paths of the payload.
    /// - Returns: The finding, with its location.
    package func finding(rule: String, severity: Finding.Severity, _ places: TreePlaces) -> Finding {
        let (name, range) = located(in: places)
        return Finding(
            severity: self.severity ?? severity, rule: rule, place: name,
            location: range.map { Finding.Location($0, places.line(of: $0.lowerBound)) }, problem: problem,
            advice: advice, edits: edits)
    }

    /// The finding for a breach without a place in a payload.
    package func finding(rule: String, severity: Finding.Severity) -> Finding {
        var name = "payload"
        if case .header(let header) = place { name = header }
        return Finding(severity: self.severity ?? severity, rule: rule, place: name, problem: problem, advice: advice)
    }

    private func located(in places: TreePlaces) -> (name: String, range: Range<Int>?) {
        let tree = places.tree
        switch place {
        case .value(let node): return (places.path(of: node), tree.range(of: node))
        case .key(let node): return (places.path(of: node), tree.keyRange(of: node) ?? tree.range(of: node))
        case .payload:
            let start = tree.range(of: JSONTree.root).lowerBound
            return ("payload", start..<(start + 1))
        case .header(let name): return (name, nil)
        }
    }
}

extension [Finding] {
    /// By their places in the payload; those at one place keep their order.
    package var inOrderOfPlaces: [Finding] {
        guard count > 1 else { return self }
        return enumerated().sorted { left, right in
            let places = (left.element.location?.bytes.lowerBound ?? 0, right.element.location?.bytes.lowerBound ?? 0)
            return places.0 != places.1 ? places.0 < places.1 : left.offset < right.offset
        }.map(\.element)
    }
}
