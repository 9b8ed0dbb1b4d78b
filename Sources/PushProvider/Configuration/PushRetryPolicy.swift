extension PushConfiguration {
    /// What a client retries automatically, how often, and after which pauses.
    ///
    /// A client never retries after the deadline of the send or the expiration of the notification, and never after a final
    /// rejection. Every retry carries the same `apns-id`.
    public struct RetryPolicy: Sendable, Hashable {
        /// What to do when it is unknown whether APNs has accepted a notification.
        public enum Guarantee: Sendable, Hashable {
            /// It is not sent again. The device may miss the notification, but never gets it twice.
            case atMostOnce
            /// It is sent again. The device gets the notification, perhaps twice.
            case atLeastOnce
        }

        /// What to do when it is unknown whether APNs has accepted a notification.
        public var guarantee = Guarantee.atMostOnce
        /// The maximum number of attempts for a notification, including the first.
        public var attempts = Int.max
        /// Whether a failed connection attempt is repeated if its cause may be temporary, until the deadlines of the
        /// waiting notifications. If `false`, all waiting notifications fail at once.
        public var retriesConnecting = true
        /// The maximum of the first pause. Each further maximum is twice as long at most. The actual pause is random, from
        /// zero up to the maximum, so that failed notifications are not all sent again at the same time.
        public var firstPause: Duration = .milliseconds(500)
        /// The limit for all pauses, unless the server asks for more with `retry-after`. Apple recommends 15 minutes for
        /// 5xx.
        public var longestPause: Duration = .seconds(900)
        /// Whether the client waits before another attempt. Otherwise it repeats only what it can repeat at once.
        package var pauses = true

        /// The default: retries whatever cannot be delivered twice.
        public static let standard = PushConfiguration.RetryPolicy()

        /// Never retries: each notification is sent once, and each connection is tried once.
        public static let never: PushConfiguration.RetryPolicy = {
            var policy = PushConfiguration.RetryPolicy()
            policy.attempts = 1
            policy.retriesConnecting = false
            return policy
        }()

        /// Creates a policy with the standard values.
        public init() {}
    }
}
