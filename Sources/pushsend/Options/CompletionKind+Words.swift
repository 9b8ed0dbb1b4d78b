import ArgumentParser

/// The words that a shell offers where an option takes one of many.
extension CompletionKind {
    /// The values of `--template`.
    static var templates: CompletionKind { .list(ReadyPayload.all.map(\.name) + ["list"]) }
}
