/// What became of one notification of a sequence.
public struct PushResult: Sendable {
    /// Its place in the sequence, from 0.
    public let index: Int
    /// The notification, as it came.
    public let notification: PushNotification
    /// One of the four outcomes; a failure with code `invalid` when it breaks a rule and was never taken in.
    public let outcome: Result<PushOutcome, PushError>
}

extension PushResult: CustomStringConvertible {
    /// Its place in the sequence, the shortened device token, and what became of it.
    public var description: String {
        let words =
            switch outcome {
            case .success(let outcome): outcome.description
            case .failure(let error): error.description
            }
        return "\(index), to \(notification.deviceToken): \(words)"
    }
}
