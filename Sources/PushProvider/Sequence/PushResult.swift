/// The outcome of one notification of a sequence.
public struct PushResult: Sendable {
    /// The index in the sequence, from 0.
    public let index: Int
    /// The notification.
    public let notification: PushNotification
    /// One of the four outcomes; a failure with code `invalid` if the notification breaks a rule and was not sent.
    public let outcome: Result<PushOutcome, PushError>
}

extension PushResult: CustomStringConvertible {
    /// The index in the sequence, the shortened device token, and the outcome.
    public var description: String {
        let message =
            switch outcome {
            case .success(let outcome): outcome.description
            case .failure(let error): error.description
            }
        return "\(index), to \(notification.deviceToken): \(message)"
    }
}
