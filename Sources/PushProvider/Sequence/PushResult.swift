/// The outcome of one notification of a sequence.
public struct PushResult: Sendable {
    /// The index in the sequence, from 0.
    public let index: Int
    /// The notification.
    public let notification: PushNotification
    /// The outcome.
    public let outcome: Outcome

    /// The outcome of one notification of a sequence.
    public enum Outcome: Sendable {
        /// The outcome of a notification that was queued. It can also be a rejection: only
        /// ``PushOutcome/accepted(_:)`` is a success.
        case push(PushOutcome)
        /// The notification breaks a rule and was not queued. The code of the error is `invalid`.
        indirect case invalid(PushError)

        /// Whether Apple accepted the notification.
        public var isAccepted: Bool {
            if case .push(.accepted) = self { true } else { false }
        }
    }
}

extension PushResult: CustomStringConvertible {
    /// The index in the sequence, the shortened device token, and the outcome.
    public var description: String {
        let message =
            switch outcome {
            case .push(let outcome): outcome.description
            case .invalid(let error): error.description
            }
        return "\(index), to \(notification.deviceToken): \(message)"
    }
}
