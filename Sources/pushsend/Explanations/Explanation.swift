/// What one word means: what `pushsend explain` prints, and what follows a rejection on a terminal.
struct Explanation: Hashable, Sendable {
    /// What sort of word it is.
    enum Kind: String, CaseIterable, Sendable {
        /// Apple's word for a rejection.
        case reason
        /// The HTTP status of an answer.
        case status
        /// The number with which a command ends.
        case exitCode = "exit_code"
        /// What became of a push.
        case outcome
        /// Something that people get stuck with.
        case topic
        /// A rule of the lint.
        case rule

        /// For lists.
        var plural: String {
            switch self {
            case .reason: "reasons"
            case .status: "statuses"
            case .exitCode: "exit codes"
            case .outcome: "outcomes"
            case .topic: "topics"
            case .rule: "lint rules"
            }
        }
    }

    /// The word, in its own letters.
    var word: String
    /// What sort of word it is.
    var kind: Kind
    /// One line: the word, and what it is in short.
    var title: String
    /// What happened. Paragraphs are separated by an empty line.
    var meaning: String
    /// What it probably was in the case at hand, and what to try; `nil` where only the word is known.
    var probably: String?
    /// Whose fault it usually is; `nil` where nobody failed.
    var fault: String?
    /// Whether the same push may be sent again; `nil` where that is not the question.
    var again: String?
    /// What to do, in order.
    var steps: [String] = []
    /// Whether the steps are told by numbers: for lists that people go through from the top.
    var isNumbered = false
    /// Of a reason or a status: the HTTP status.
    var status: Int?
    /// Of a rule: where it comes from.
    var source: String?
    /// The page of the documentation that has more.
    var page: String?
    /// Other words under which people look for it.
    var aliases: [String] = []
}
