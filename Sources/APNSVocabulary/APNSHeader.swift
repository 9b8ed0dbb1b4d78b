/// The header names of the provider API, in the lower case that HTTP/2 demands.
///
/// They are computed, not stored: a literal costs nothing, a global is looked up each time, ten times a notification.
public enum APNSHeader {
    /// `bearer ` and the provider token.
    public static var authorization: String { "authorization" }
    /// The notification's own id, a UUID; echoed in the answer.
    public static var id: String { "apns-id" }
    /// The bundle id, with the suffix of the push type.
    public static var topic: String { "apns-topic" }
    /// One of ``PushType``.
    public static var pushType: String { "apns-push-type" }
    /// One of ``PushPriority``.
    public static var priority: String { "apns-priority" }
    /// UNIX seconds, or 0 for one attempt.
    public static var expiration: String { "apns-expiration" }
    /// Notifications with the same value replace each other on the device.
    public static var collapseID: String { "apns-collapse-id" }
    /// In the answers of the sandbox: finds the notification in Apple's Push Notifications Console.
    public static var uniqueID: String { "apns-unique-id" }
    /// Seconds or a date after which to try again. Never seen from Apple, honoured where it comes.
    public static var retryAfter: String { "retry-after" }
}
