import ArgumentParser

extension CompletionKind {
    /// What `pushsend explain` knows.
    static var explainedWords: CompletionKind { .list(Explanation.all.map(\.word)) }
}
