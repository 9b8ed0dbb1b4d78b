extension MockFact {
    /// All facts of the mock, each once: those of verdicts, of allowances and of the rules about behaviour.
    public static let all: [MockFact] = {
        let facts =
            PossibleVerdict.all.map(\.fact) + Allowance.all.map(\.fact) + BehaviourRule.all.map(\.fact)
        var ids: Set<String> = []
        return facts.filter { ids.insert($0.id).inserted }
    }()
}
