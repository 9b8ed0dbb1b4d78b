import ArgumentParser

/// The values that a shell offers for an option with many possible values.
extension CompletionKind {
    /// The values of `--template`.
    static var templates: CompletionKind { .list(ReadyPayload.all.map(\.name) + ["list"]) }
}
