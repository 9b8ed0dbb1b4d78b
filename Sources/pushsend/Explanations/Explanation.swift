/// The explanation of one term. `pushsend explain` prints it, and it follows a rejection on a terminal.
///
/// The texts of all terms are its members. Each kind of term has its own file.
struct Explanation: Hashable, Sendable {
    /// The kind of term.
    enum Kind: String, CaseIterable, Sendable {
        /// A rejection reason of Apple.
        case reason
        /// The HTTP status of an answer.
        case status
        /// The exit code of a command.
        case exitCode = "exit_code"
        /// The outcome of a push.
        case outcome
        /// A common problem.
        case topic
        /// A rule of the lint.
        case rule

        /// The name of the kind in lists.
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

    /// The term, in its usual spelling.
    var term: String
    /// The kind of term.
    var kind: Kind
    /// One line: the term and a short description.
    var title: String
    /// What happened. Paragraphs are separated by an empty line.
    var meaning: String
    /// The probable cause for this push, and what to try; `nil` if only the term is known.
    var probably: String?
    /// Who usually causes it; `nil` if it is not an error.
    var fault: String?
    /// Whether the same push may be sent again; `nil` if the question does not apply.
    var again: String?
    /// What to do, in order.
    var steps: [String] = []
    /// Whether the steps are numbered, for lists to follow from the top.
    var isNumbered = false
    /// The HTTP status of a reason or a status.
    var status: Int?
    /// The source of a rule.
    var source: String?
    /// The page of the documentation with more details.
    var page: String?
    /// Other terms under which users look for it.
    var aliases: [String] = []
}
