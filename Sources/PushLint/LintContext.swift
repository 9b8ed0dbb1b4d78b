public import PushPlatform
public import PushProvider

/// The known parts of a request besides its payload. Rules about unknown parts do not apply.
public struct LintContext: Sendable {
    /// A broadcast to the subscribers of a channel, which has its own rules.
    public struct Broadcast: Sendable {
        /// Whether the channel stores the newest message; `nil` if that is unknown.
        public var storesMessages: Bool?
        /// Whether the request has an `apns-id`, which is only for pushes to devices.
        public var hasNotificationID: Bool

        /// Creates the description of a broadcast.
        ///
        /// - Parameters:
        ///   - storesMessages: Whether the channel stores the newest message; `nil` if that is unknown.
        ///   - hasNotificationID: Whether the request has an `apns-id`.
        public init(storesMessages: Bool? = nil, hasNotificationID: Bool = false) {
            self.storesMessages = storesMessages
            self.hasNotificationID = hasNotificationID
        }
    }

    /// The topic; `nil` if it is not known yet, empty if none is sent.
    public var topic: String?
    /// The push type; `nil` to derive it from topic and payload.
    public var pushType: PushType?
    /// The push type that the payload was built for; `nil` if it is unknown.
    public var payloadPushType: PushType?
    /// The priority; `nil` to derive it from the push type.
    public var priority: PushPriority?
    /// How long APNs tries to deliver the notification; `nil` if it is not known yet.
    public var expiration: PushExpiration?
    /// The collapse id; `nil` for none.
    public var collapseID: String?
    /// The `apns-id` to send; `nil` if Apple creates one.
    public var id: String?
    /// The broadcast; `nil` for a push to a device.
    public var broadcast: Broadcast?
    /// The number of bytes that are sent, if it differs from the checked text, for example because one key is removed.
    public var payloadByteCount: Int?
    /// The current time, for rules about expiration; `nil` to skip these rules.
    public var now: Date?

    /// Creates the description of a request.
    ///
    /// - Parameters:
    ///   - topic: The topic; `nil` if it is not known yet, empty if none is sent.
    ///   - pushType: The push type; `nil` to derive it from topic and payload.
    ///   - priority: The priority; `nil` to derive it from the push type.
    ///   - expiration: How long APNs tries to deliver the notification; `nil` if it is not known yet.
    ///   - collapseID: The collapse id; `nil` for none.
    ///   - broadcast: The broadcast; `nil` for a push to a device.
    ///   - now: The current time, for rules about expiration; `nil` to skip these rules.
    public init(
        topic: String? = nil,
        pushType: PushType? = nil,
        priority: PushPriority? = nil,
        expiration: PushExpiration? = nil,
        collapseID: String? = nil,
        broadcast: Broadcast? = nil,
        now: Date? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.broadcast = broadcast
        self.now = now
    }

    /// Creates the description of a notification's headers.
    ///
    /// - Parameter notification: The notification. Its payload is not used.
    public init(_ notification: PushNotification) {
        self.init(
            topic: notification.effectiveTopic, pushType: notification.pushType, priority: notification.priority,
            expiration: notification.effectiveExpiration, collapseID: notification.collapseID)
        payloadPushType = notification.payload.pushType
    }
}

extension CheckedRequest {
    init(_ context: LintContext, _ reading: PayloadFacts) {
        let pushType = context.pushType ?? context.payloadPushType
        let seconds = context.now.map { Int(clamping: $0.timeIntervalSince1970) }
        self.init(
            inferred: PushNotification.inferred(
                pushType: context.broadcast == nil ? pushType : .liveactivity, priority: context.priority,
                topic: context.topic ?? "", reading),
            typeIsKnown: context.broadcast != nil || pushType != nil || reading.plainPushType != nil
                || context.topic?.isEmpty == false)
        topic = context.topic
        givenPushType = context.pushType
        payloadPushType = context.payloadPushType
        givenPriority = context.priority
        // A duration that can't be one is judged as it is.
        let begins = context.expiration.flatMap { TimeChecks.mistake(inUnitOf: $0.form) == nil ? seconds : nil }
        expiration = begins.flatMap { context.expiration?.counted(from: $0) } ?? context.expiration
        collapseID = context.collapseID
        id = context.id
        broadcast = context.broadcast.map {
            Broadcast(storesMessages: $0.storesMessages, hasNotificationID: $0.hasNotificationID)
        }
        secondsSince1970 = seconds
    }
}
