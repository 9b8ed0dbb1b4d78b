/// An object that another module of the package attaches to a notification. It comes back with the outcome.
@usableFromInline package protocol NotificationAttachment: AnyObject, Sendable {
    /// Whether the notification is known to be invalid: a sequence reports it as invalid, without sending it.
    var isInvalid: Bool { get }
}
