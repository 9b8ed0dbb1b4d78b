/// Counts how many notifications of a sequence in a row were not sent because the sender is refused, and decides when
/// to stop the sequence. A pure value.
struct UnsentWatch: Equatable {
    /// The number of notifications in a row, with no answer between them, that are not sent because of the credentials.
    /// At this number the sequence stops, because the client sends nothing at all.
    static let maximumForCredentials = 20
    /// The number of notifications in a row, with no answer between them, that are not sent because their topics are
    /// refused. At this number the sequence stops, because no other topic is expected.
    static let maximumForTopics = 10_000

    private let maximumForTopics: Int
    private var credentials = 0
    private var topics = 0
    private var hasStopped = false

    /// - Parameter readsOn: Whether to continue after any number of refused topics, because other topics may follow.
    init(readsOn: Bool = false) {
        maximumForTopics = readsOn ? .max : Self.maximumForTopics
    }

    /// Records an answer. It resets the counts.
    mutating func answered() {
        credentials = 0
        topics = 0
    }

    /// Records a notification that was not sent.
    ///
    /// - Parameter cause: Why it was not sent.
    /// - Returns: The number of such notifications in a row if the sequence must stop now, only once; otherwise `nil`.
    mutating func wasUnsent(_ cause: PushOutcome.Cause) -> Int? {
        switch cause {
        case .credentials: credentials += 1
        case .topicRefused: topics += 1
        default: return nil
        }
        let count = credentials >= Self.maximumForCredentials ? credentials : topics
        guard !hasStopped, credentials >= Self.maximumForCredentials || topics >= maximumForTopics else { return nil }
        hasStopped = true
        return count
    }
}

/// The error when a sequence was stopped because many notifications in a row were not sent: APNs refuses the
/// credentials or the topics, or the credentials cannot be used.
///
/// ``PushOutcomes`` throws it at the end, when every notification that was read has its outcome. Notifications that
/// could not be sent have the outcome `notSent` with the ``cause``. The others were not read.
public struct PushCredentialsRefused: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why the notifications were not sent: ``PushOutcome/Cause/credentials`` or ``PushOutcome/Cause/topicRefused``.
    public let cause: PushOutcome.Cause
    /// How many notifications in a row were not sent, with no answer between them.
    public let unsent: Int
    /// The description of the last of them: the answer of APNs, or why the credentials cannot be used.
    public let reason: String
    /// What happened and what to do.
    public let description: String

    init(_ cause: PushOutcome.Cause, unsent: Int, reason: String) {
        self.cause = cause
        self.unsent = unsent
        self.reason = reason
        let sentence = reason.hasSuffix(".") ? reason : "\(reason)."
        let what = cause == .topicRefused ? "APNs refuses their topics" : "of the credentials"
        description = """
            \(unsent) notifications in a row weren't sent because \(what): \(sentence) Nothing more was read. Correct the \
            credentials or the topic. Then send the rest and the notifications that weren't sent.
            """
    }

    /// The description for a notification that was read but not queued because of this error.
    var ofOneNotSent: String {
        "its sequence was stopped, because \(unsent) in a row weren't sent: \(reason)"
    }
}
