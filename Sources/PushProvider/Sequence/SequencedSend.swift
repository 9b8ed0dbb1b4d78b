/// A notification of a sequence on its way to its outcome.
// Not checked by the compiler, like its superclass, whose rule it follows; what it adds is set before it is handed in, and
// `slot` belongs to the mailbox's lock.
package final class SequencedSend: PendingSend, @unchecked Sendable {
    @exclusivity(unchecked) private var notification: PushNotification?
    /// Its place in the sequence.
    let index: Int
    /// Where the mailbox keeps it.
    @exclusivity(unchecked) var slot = 0

    init(
        _ contents: consuming Contents, _ notification: consuming PushNotification, index: Int, mailbox: OutcomeMailbox
    ) {
        self.notification = notification
        self.index = index
        super.init(contents)
        self.mailbox = Unmanaged.passUnretained(mailbox)
    }

    /// The notification and its outcome, for whoever waited for them; the notification is given only once.
    func takeResult() -> PushResult {
        guard let notification = notification.take() else { preconditionFailure("the result was taken before") }
        return PushResult(index: index, notification: notification, outcome: .success(told))
    }
}
