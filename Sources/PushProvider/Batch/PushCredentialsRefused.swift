/// A sequence was stopped because notification after notification was not sent for the credentials: APNs refuses them, or they
/// cannot be used, and the client sends nothing for now.
///
/// ``PushOutcomes`` throws it at the end, when every notification that was read has had its outcome. Those that could not be
/// sent are not sent, with the cause ``NotSent/Cause/credentials``; the rest was never read.
public struct PushCredentialsRefused: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many in a row were not sent, with no answer between.
    public let unsent: Int
    /// What the last of them was told: what APNs said, or why the credentials cannot be used.
    public let reason: String
    /// What happened, and what to do.
    public let description: String

    init(unsent: Int, reason: String) {
        self.unsent = unsent
        self.reason = reason
        let said = reason.hasSuffix(".") ? reason : "\(reason)."
        description = """
            \(unsent) notifications in a row were not sent because of the credentials: \(said) Nothing more was read, and what \
            was read has its outcome. Correct the credentials, or the topic where they may not send to it; then send again what \
            was not sent.
            """
    }

    /// Of a notification that was read and not taken in because of it.
    var ofOneNotSent: String {
        "its sequence was stopped, because \(unsent) in a row were not sent for the credentials: \(reason)"
    }
}
