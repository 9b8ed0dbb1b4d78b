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
