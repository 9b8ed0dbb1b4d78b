import ArgumentParser

extension CompletionKind {
    /// The words that `pushsend explain` can explain.
    static var explainedTerms: CompletionKind { .list(Explanation.all.map(\.term)) }
}
