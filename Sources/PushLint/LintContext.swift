public import PushProvider

/// What is known of a request besides its payload. Rules about what is not known stay silent.
public struct LintContext: Sendable {
    /// A broadcast to the subscribers of a channel, which has rules of its own.
    public struct Broadcast: Sendable {
        /// Whether the channel keeps the newest message; `nil` when that is not known.
        public var storesMessages: Bool?
        /// Whether the request carries an `apns-id`, which is the name of the id in pushes to devices.
        public var hasNotificationID: Bool

        /// Describes a broadcast.
        ///
        /// - Parameters:
        ///   - storesMessages: Whether the channel keeps the newest message; `nil` when that is not known.
        ///   - hasNotificationID: Whether the request carries an `apns-id`.
        public init(storesMessages: Bool? = nil, hasNotificationID: Bool = false) {
            self.storesMessages = storesMessages
            self.hasNotificationID = hasNotificationID
        }
    }

    /// The topic; `nil` when it is not known yet, empty when none is sent.
    public var topic: String?
    /// The push type; `nil` to let it follow from topic and payload.
    public var pushType: PushType?
    /// The push type that the payload was built for; `nil` where nobody has said.
    public var payloadPushType: PushType?
    /// The priority; `nil` to let it follow from the push type.
    public var priority: PushPriority?
    /// How long Apple tries; `nil` when it is not known yet.
    public var expiration: Expiration?
    /// The collapse id; `nil` for none.
    public var collapseID: String?
    /// The notification's own id, as it is to be sent; `nil` where Apple makes one.
    public var id: String?
    /// Set for a broadcast.
    public var broadcast: Broadcast?
    /// How many bytes are sent, where that is not what is looked at, such as a file with a key that is left out.
    public var payloadByteCount: Int?
    /// The time, for rules about times to come; `nil` to leave them out.
    public var secondsSince1970: Int?

    /// Describes what is known.
    ///
    /// - Parameters:
    ///   - topic: The topic; `nil` when it is not known yet, empty when none is sent.
    ///   - pushType: The push type; `nil` to let it follow from topic and payload.
    ///   - priority: The priority; `nil` to let it follow from the push type.
    ///   - expiration: How long Apple tries; `nil` when it is not known yet.
    ///   - collapseID: The collapse id; `nil` for none.
    ///   - broadcast: Set for a broadcast.
    ///   - secondsSince1970: The time, for rules about times to come; `nil` to leave them out.
    public init(
        topic: String? = nil,
        pushType: PushType? = nil,
        priority: PushPriority? = nil,
        expiration: Expiration? = nil,
        collapseID: String? = nil,
        broadcast: Broadcast? = nil,
        secondsSince1970: Int? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.broadcast = broadcast
        self.secondsSince1970 = secondsSince1970
    }

    /// What a notification says of itself.
    ///
    /// - Parameter notification: All of it but the payload counts.
    public init(_ notification: PushNotification) {
        self.init(
            topic: notification.effectiveTopic, pushType: notification.pushType, priority: notification.priority,
            expiration: notification.effectiveExpiration, collapseID: notification.collapseID)
        payloadPushType = notification.payload.pushType
    }
}
