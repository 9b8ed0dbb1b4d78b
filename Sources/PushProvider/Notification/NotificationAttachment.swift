/// Something that another part of the package attaches to a notification and finds again beside its outcome.
package protocol NotificationAttachment: AnyObject, Sendable {
    /// Whether the notification is known to be invalid: a sequence reports it as invalid, without sending it.
    var isInvalid: Bool { get }
}
