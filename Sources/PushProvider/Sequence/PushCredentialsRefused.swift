/// A sequence was stopped because notification after notification was not sent: APNs refuses the credentials or the topics, or the
/// credentials cannot be used, and the client sends nothing for now.
///
/// ``PushOutcomes`` throws it at the end, when every notification that was read has had its outcome. Those that could not be
/// sent are not sent, with the ``cause``; the rest was never read.
public struct PushCredentialsRefused: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why they were not sent: ``NotSent/Cause/credentials`` or ``NotSent/Cause/topicRefused``.
    public let cause: NotSent.Cause
    /// How many notifications in a row were not sent, with no answer between.
    public let unsent: Int
    /// What the last of them was told: what APNs said, or why the credentials cannot be used.
    public let reason: String
    /// What happened, and what to do.
    public let description: String

    init(_ cause: NotSent.Cause, unsent: Int, reason: String) {
        self.cause = cause
        self.unsent = unsent
        self.reason = reason
        let said = reason.hasSuffix(".") ? reason : "\(reason)."
        let what = cause == .topicRefused ? "APNs refuses their topics" : "of the credentials"
        description = """
            \(unsent) notifications in a row were not sent because \(what): \(said) Nothing more was read, and what \
            was read has its outcome. Correct the credentials, or the topic where they may not send to it; then send again what \
            was not sent.
            """
    }

    /// For a notification that was read and not taken in because of it.
    var ofOneNotSent: String {
        "its sequence was stopped, because \(unsent) in a row were not sent: \(reason)"
    }
}
