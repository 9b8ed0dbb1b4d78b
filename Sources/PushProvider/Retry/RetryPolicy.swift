/// What a client sends again by itself, how often, and after which pauses.
///
/// Nothing is ever sent again past the deadline of the send or the expiration of the notification, and nothing that Apple
/// has rejected for good. Every retry carries the same `apns-id`.
public struct RetryPolicy: Sendable, Hashable {
    /// What is done when nobody knows whether APNs has taken a notification.
    public enum Guarantee: Sendable, Hashable {
        /// It is not sent again: the device may miss it, and does not get it twice.
        case atMostOnce
        /// It is sent again: the device gets it, perhaps twice.
        case atLeastOnce
    }

    /// What is done when nobody knows whether APNs has taken a notification.
    public var guarantee = Guarantee.atMostOnce
    /// How often a notification is given to a connection at the most, the first time included.
    public var attempts = Int.max
    /// A connection that does not come about, for a reason that may pass, is tried again until the deadline of what waits
    /// for it; otherwise everything that waits for it is told at once.
    public var retriesConnecting = true
    /// The longest first pause. Each further one is twice as long at the most, and by chance anything from zero up, so
    /// that what has failed together does not come again together.
    public var firstPause: Duration = .milliseconds(500)
    /// What no pause exceeds unless the server asks for more with `retry-after`. Apple speaks of 15 minutes for 5xx.
    public var longestPause: Duration = .seconds(900)

    /// Sends again whatever cannot double: the default.
    public static let standard = RetryPolicy()

    /// Sends each notification once, and tries each connection once.
    public static let never: RetryPolicy = {
        var policy = RetryPolicy()
        policy.attempts = 1
        policy.retriesConnecting = false
        return policy
    }()

    /// The standard policy, to be changed.
    public init() {}
}
