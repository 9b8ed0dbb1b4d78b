/// The outcome of one notification of a sequence.
public struct PushResult: Sendable {
    /// The index in the sequence, from 0.
    public let index: Int
    /// The notification.
    public let notification: PushNotification
    /// The outcome.
    public let outcome: PushOutcome
}

extension PushResult: CustomStringConvertible {
    /// The index in the sequence, the shortened device token, and the outcome.
    public var description: String { "\(index), to \(notification.deviceToken): \(outcome)" }
}
