/// The letter case of the ids in answers.
public enum MockAnswerIDLetters: Sendable, Hashable {
    /// `1294465C-E2AA-…`, as APNs generates them.
    case upper
    /// `1294465c-e2aa-…`, the form that Apple's documentation calls canonical.
    case lower
}
