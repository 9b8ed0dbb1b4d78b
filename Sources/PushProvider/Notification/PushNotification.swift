public import PushPlatform

/// One notification for one app on one device.
public struct PushNotification: Sendable {
    /// The device token: one app on one device.
    public var deviceToken: DeviceToken
    /// The app's bundle id. The suffix of the push type is added if the payload was built for a push type with a
    /// suffix, see ``effectiveTopic``. It may be empty if the client uses a certificate with only one topic.
    public var topic: String
    /// The payload.
    public var payload: PushPayload
    /// The push type; `nil` to derive it from payload and topic, see ``effectivePushType``.
    public var pushType: PushType?
    /// The priority; `nil` to derive it from the push type, see ``effectivePriority``.
    public var priority: PushPriority?
    /// How long Apple tries to deliver it; `nil` to derive it from the payload, see ``effectiveExpiration``.
    public var expiration: PushExpiration?
    /// The collapse id: on the device, a notification replaces earlier ones with the same collapse id. At most 64
    /// bytes.
    public var collapseID: String?
    /// The `apns-id`, which Apple returns in the answer; `nil` to let the client create one.
    public var id: UUID?
    /// When the app last sent this device token to your server; `nil` if that is unknown.
    ///
    /// It is not sent to Apple. A 410 means that the token is gone only if its timestamp is later, see
    /// ``PushOutcome/Rejection/tokenStatus``.
    public var registeredAt: Date?
    /// The attachment of another module of the package; it comes back with the outcome.
    @usableFromInline package var attachment: (any NotificationAttachment)?

    /// Creates a notification. It is checked when it is sent.
    ///
    /// - Parameters:
    ///   - deviceToken: The device token.
    ///   - topic: The app's bundle id, with or without the suffix of the push type that the payload was built for.
    ///   - payload: The payload.
    ///   - pushType: The push type; `nil` to derive it from payload and topic.
    ///   - priority: The priority; `nil` to derive it from the push type.
    ///   - expiration: How long Apple tries to deliver it; `nil` to derive it from the payload.
    ///   - collapseID: The collapse id, at most 64 bytes.
    ///   - id: The `apns-id`; `nil` to let the client create one.
    ///   - registeredAt: When the app last sent this device token to your server.
    @inlinable public init(
        to deviceToken: DeviceToken,
        topic: String,
        payload: PushPayload,
        pushType: PushType? = nil,
        priority: PushPriority? = nil,
        expiration: PushExpiration? = nil,
        collapseID: String? = nil,
        id: UUID? = nil,
        registeredAt: Date? = nil
    ) {
        self.deviceToken = deviceToken
        self.topic = topic
        self.payload = payload
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.id = id
        self.registeredAt = registeredAt
    }

    /// ``registeredAt`` in milliseconds since 1970, like Apple's timestamps; `nil` if it is unknown or not a valid
    /// time.
    var registeredMilliseconds: Int64? {
        registeredAt?.millisecondsSince1970
    }
}

extension PushNotification {
    /// The push type that is sent.
    ///
    /// This is the first that applies: ``pushType``; the push type that the payload was built for; the push type whose
    /// suffix the topic has; the push type that the payload shows (`content-available` alone is `background`); `alert`.
    public var effectivePushType: PushType {
        inferred.pushType
    }

    /// The priority that is sent: ``priority``, otherwise 5 for `background` and `fileprovider`, and 10 for other push
    /// types.
    public var effectivePriority: PushPriority {
        inferred.priority
    }

    /// The topic that is sent: ``topic``, with the suffix of the push type if the payload was built for a push type
    /// with a suffix and the topic has no suffix yet.
    public var effectiveTopic: String {
        // The most expensive checks are last, because this runs for every notification with such a payload.
        guard let built = payload.pushType, let suffix = built.topicSuffix, !suffix.isEmpty, !topic.isEmpty,
            PushType.type(ofTopic: topic) == nil, built == effectivePushType
        else { return topic }
        return topic + suffix
    }

    /// The expiration that is sent: ``expiration``; otherwise one attempt for Push to Talk and for controls, which are
    /// useful only now; otherwise Apple decides.
    public var effectiveExpiration: PushExpiration {
        expiration ?? (payload.pushType?.isOnlyForNow == true ? .once : .apnsDefault)
    }

    /// Whether the priority is sent. For widgets and accessories it is sent only if it was given, because Apple's
    /// examples have none.
    package var statesPriority: Bool { statesPriority(inferred) }

    func statesPriority(_ inferred: Inferred) -> Bool {
        priority != nil || inferred.pushType != .widgets && inferred.pushType != .accessory
    }

    /// The notification with all values that follow from its payload, so that no later step must derive them.
    package var settled: PushNotification {
        guard payload.pushType != nil else { return self }
        var settled = self
        settled.topic = effectiveTopic
        settled.expiration = effectiveExpiration
        return settled
    }

    /// The push type and priority that are sent. They are derived once.
    package struct Inferred {
        package var pushType: PushType
        var priority: PushPriority
        /// The push type whose suffix the topic has.
        package var typeOfTopic: PushType?
    }

    package var inferred: Inferred {
        Self.inferred(pushType: pushType ?? payload.pushType, priority: priority, topic: topic, payload.reading)
    }

    package static func inferred(
        pushType: PushType?, priority: PushPriority?, topic: String, _ reading: PayloadFacts
    ) -> Inferred {
        let typeOfTopic = PushType.type(ofTopic: topic)
        let pushType = pushType ?? typeOfTopic ?? reading.plainPushType ?? .alert
        return Inferred(
            pushType: pushType, priority: priority ?? defaultPriority(of: pushType), typeOfTopic: typeOfTopic)
    }

    /// Returns the default priority. Apple documents none for `fileprovider`; one library requires 5, and Apple accepts
    /// 5.
    private static func defaultPriority(of pushType: PushType) -> PushPriority {
        pushType == .background || pushType == .fileprovider ? .powerAware : .immediate
    }
}

/// An object that another module of the package attaches to a notification. It comes back with the outcome.
@usableFromInline package protocol NotificationAttachment: AnyObject, Sendable {
    /// Whether the notification is known to be invalid: a sequence reports it as invalid, without sending it.
    var isInvalid: Bool { get }
}
