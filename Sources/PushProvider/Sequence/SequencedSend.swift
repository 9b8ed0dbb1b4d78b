/// A notification of a sequence, from the reading to its outcome.
// Unchecked like its superclass, and it follows the same rule. Its own properties are set before it is queued, except
// `slot`, which the lock of the mailbox protects.
package final class SequencedSend: PendingSend, @unchecked Sendable {
    @exclusivity(unchecked) private var notification: PushNotification?
    let index: Int
    /// The index in the mailbox's array of sends.
    @exclusivity(unchecked) var slot = 0

    init(
        _ contents: consuming Contents, _ notification: consuming PushNotification, index: Int, mailbox: OutcomeMailbox
    ) {
        self.notification = notification
        self.index = index
        super.init(contents)
        self.mailbox = Unmanaged.passUnretained(mailbox)
    }

    /// Returns the notification and its outcome. Call it only once: both are moved out.
    func takeResult() -> PushResult {
        PushResult(index: index, notification: takeNotification(), outcome: takeOutcome())
    }

    /// Moves the notification out. Call it only once.
    func takeNotification() -> PushNotification {
        guard let notification = notification.take() else { preconditionFailure("the result was taken before") }
        return notification
    }
}

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
