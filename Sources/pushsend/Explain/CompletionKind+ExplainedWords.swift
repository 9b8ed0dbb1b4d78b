import ArgumentParser

extension CompletionKind {
    /// The words that `pushsend explain` can explain.
    static var explainedWords: CompletionKind { .list(Explanation.all.map(\.word)) }
}
