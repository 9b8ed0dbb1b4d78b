/// The header names of the provider API, in lower case as HTTP/2 requires.
///
/// They are computed, not stored, because access to a global costs time, ten times for each notification.
public enum APNSHeader {
    /// `bearer ` and the provider token.
    public static var authorization: String { "authorization" }
    /// The id of the notification, a UUID. APNs returns it in the answer.
    public static var id: String { "apns-id" }
    /// The bundle id, with the suffix of the push type.
    public static var topic: String { "apns-topic" }
    /// One of ``PushType``.
    public static var pushType: String { "apns-push-type" }
    /// One of ``PushPriority``.
    public static var priority: String { "apns-priority" }
    /// The expiration in seconds since 1970, or 0 for one attempt.
    public static var expiration: String { "apns-expiration" }
    /// Notifications with the same value replace each other on the device.
    public static var collapseID: String { "apns-collapse-id" }
    /// In answers of the sandbox: the id of the notification in Apple's Push Notifications Console.
    public static var uniqueID: String { "apns-unique-id" }
    /// The id of a request about a broadcast or a channel, a UUID. APNs returns it in the answer.
    public static var requestID: String { "apns-request-id" }
    /// The id of a broadcast channel, in base64.
    public static var channelID: String { "apns-channel-id" }
    /// Seconds or a date after which to retry. Apple has never been seen to send it, but it is respected.
    public static var retryAfter: String { "retry-after" }
}
