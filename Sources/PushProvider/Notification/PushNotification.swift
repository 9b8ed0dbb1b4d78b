#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One notification for one app on one device.
public struct PushNotification: Sendable {
    /// The app on the device.
    public var deviceToken: DeviceToken
    /// The app's bundle id; the suffix of the push type is added where the payload was built for one, see
    /// ``effectiveTopic``. Empty for the only topic of the certificate that it is sent with.
    public var topic: String
    /// What it says.
    public var payload: PushPayload
    /// What kind it is; `nil` to let it follow from payload and topic, see ``effectivePushType``.
    public var pushType: PushType?
    /// How urgent it is; `nil` to let it follow from the push type, see ``effectivePriority``.
    public var priority: PushPriority?
    /// How long Apple tries; `nil` to let it follow from the payload, see ``effectiveExpiration``.
    public var expiration: Expiration?
    /// Notifications with the same one replace each other on the device. At most 64 bytes.
    public var collapseID: String?
    /// The id under which Apple answers; `nil` to have one made.
    public var id: UUID?
    /// When the app last told your server this device token; `nil` when that is not known.
    ///
    /// It is not sent. A 410 is held against it: only one whose timestamp is later says that the token is gone, see
    /// ``Rejection/tokenFate``.
    public var registeredAt: Date?
    /// What another part of the package has attached; it comes back with the outcome.
    package var attachment: (any NotificationAttachment)?

    /// Describes a notification; nothing is checked before it is sent.
    ///
    /// - Parameters:
    ///   - deviceToken: The app on the device.
    ///   - topic: The app's bundle id, with or without the suffix of the push type that the payload was built for.
    ///   - payload: What it says.
    ///   - pushType: What kind it is; `nil` to let it follow from payload and topic.
    ///   - priority: How urgent it is; `nil` to let it follow from the push type.
    ///   - expiration: How long Apple tries; `nil` to let it follow from the payload.
    ///   - collapseID: Notifications with the same one replace each other.
    ///   - id: The id under which Apple answers; `nil` to have one made.
    ///   - registeredAt: When the app last told your server this device token.
    public init(
        to deviceToken: DeviceToken,
        topic: String,
        payload: PushPayload,
        pushType: PushType? = nil,
        priority: PushPriority? = nil,
        expiration: Expiration? = nil,
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

    /// In milliseconds since 1970, as Apple's timestamps are; `nil` for what is no time.
    var registeredMilliseconds: Int64? {
        guard let registeredAt else { return nil }
        return Int64(exactly: (registeredAt.timeIntervalSince1970 * 1000).rounded(.down))
    }
}

extension PushNotification {
    /// The push type that is sent.
    ///
    /// The one given; otherwise the one that the payload was built for; otherwise the one whose suffix the topic ends in;
    /// otherwise what the payload plainly is (`content-available` alone is `background`); otherwise `alert`.
    public var effectivePushType: PushType {
        inferred.pushType
    }

    /// The priority that is sent: the one given, otherwise 5 for `background` and `fileprovider`, and 10 for everything else.
    public var effectivePriority: PushPriority {
        inferred.priority
    }

    /// The topic that is sent: the one given, and the suffix of the push type where the payload was built for one and the
    /// topic ends in none yet.
    public var effectiveTopic: String {
        // What costs most stands last: this is asked for each notification of such a payload.
        guard let built = payload.pushType, let suffix = built.topicSuffix, !suffix.isEmpty, !topic.isEmpty,
            PushType.type(ofTopic: topic) == nil, built == effectivePushType
        else { return topic }
        return topic + suffix
    }

    /// The expiration that is sent: the one given; otherwise one attempt for Push to Talk and for controls, whose time is
    /// now; otherwise Apple decides.
    public var effectiveExpiration: Expiration {
        if let expiration { return expiration }
        switch payload.pushType {
        case .pushtotalk?, .controls?: return .doNotStore
        default: return .apnsDefault
        }
    }

    /// Whether the priority is sent: of widgets Apple's own example has none, and only one that was given is.
    package var statesPriority: Bool { statesPriority(inferred) }

    func statesPriority(_ inferred: Inferred) -> Bool { priority != nil || inferred.pushType != .widgets }

    /// This notification with all that follows from its payload said in full: no later stage has to infer it.
    package var settled: PushNotification {
        guard payload.pushType != nil else { return self }
        var settled = self
        settled.topic = effectiveTopic
        settled.expiration = effectiveExpiration
        return settled
    }

    /// Push type and priority as they are sent: found once and handed on.
    package struct Inferred {
        package var pushType: PushType
        var priority: PushPriority
        /// The push type whose suffix the topic ends in.
        var typeOfTopic: PushType?
    }

    package var inferred: Inferred {
        Self.inferred(pushType: pushType ?? payload.pushType, priority: priority, topic: topic, payload.reading)
    }

    package static func inferred(
        pushType: PushType?, priority: PushPriority?, topic: String, _ reading: PayloadReading
    ) -> Inferred {
        let typeOfTopic = PushType.type(ofTopic: topic)
        let pushType = pushType ?? typeOfTopic ?? reading.plainPushType ?? .alert
        return Inferred(
            pushType: pushType, priority: priority ?? usualPriority(of: pushType), typeOfTopic: typeOfTopic)
    }

    /// That a `fileprovider` must have 5 is what one library says; Apple does not, and 5 is good by both.
    private static func usualPriority(of pushType: PushType) -> PushPriority {
        pushType == .background || pushType == .fileprovider ? .powerAware : .immediate
    }
}
