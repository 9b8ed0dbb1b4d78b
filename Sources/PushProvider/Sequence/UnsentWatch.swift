/// Counts how many notifications of a sequence in a row were not sent because the sender is refused, and decides when nothing more
/// should be read. A pure value.
struct UnsentWatch: Equatable {
    /// After this many notifications in a row that were not sent because of the credentials, with no answer between, it is the client
    /// that sends nothing, and not one notification.
    static let mostForCredentials = 20
    /// After this many in a row that were not sent because their topics are refused, no other topic is expected to come.
    static let mostForTopics = 10_000

    private let mostForTopics: Int
    private var credentials = 0
    private var topics = 0
    private var hasStopped = false

    /// - Parameter readsOn: Other topics may come after any number of lines with a refused one.
    init(readsOn: Bool = false) {
        mostForTopics = readsOn ? .max : Self.mostForTopics
    }

    /// An answer came: something is being sent.
    mutating func answered() {
        credentials = 0
        topics = 0
    }

    /// A notification was not sent.
    ///
    /// - Returns: How many in a row it is now, when it is time to stop; only once.
    mutating func wasUnsent(_ cause: NotSent.Cause) -> Int? {
        switch cause {
        case .credentials: credentials += 1
        case .topicRefused: topics += 1
        default: return nil
        }
        let count = credentials >= Self.mostForCredentials ? credentials : topics
        guard !hasStopped, credentials >= Self.mostForCredentials || topics >= mostForTopics else { return nil }
        hasStopped = true
        return count
    }
}
