/// Something that another part of the package attaches to a notification and finds again beside its outcome.
// Not checked by the compiler, which checks only classes that cannot be subclassed: subclasses have constants only.
class NotificationAttachment: @unchecked Sendable {
    /// Whether the notification is known to be invalid: a sequence reports it as invalid, without sending it.
    final let isInvalid: Bool

    init(isInvalid: Bool) {
        self.isInvalid = isInvalid
    }
}
