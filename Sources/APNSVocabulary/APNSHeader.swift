/// The header names of the provider API, in the lower case that HTTP/2 demands.
public enum APNSHeader {
    /// `bearer ` and the provider token.
    public static let authorization = "authorization"
    /// The notification's own id, a UUID; echoed in the answer.
    public static let id = "apns-id"
    /// The bundle id, with the suffix of the push type.
    public static let topic = "apns-topic"
    /// One of ``PushType``.
    public static let pushType = "apns-push-type"
    /// One of ``PushPriority``.
    public static let priority = "apns-priority"
    /// UNIX seconds, or 0 for one attempt.
    public static let expiration = "apns-expiration"
    /// Notifications with the same value replace each other on the device.
    public static let collapseID = "apns-collapse-id"
    /// In the answers of the sandbox: finds the notification in Apple's Push Notifications Console.
    public static let uniqueID = "apns-unique-id"
    /// Seconds or a date after which to try again. Never seen from Apple, honoured where it comes.
    public static let retryAfter = "retry-after"
}
