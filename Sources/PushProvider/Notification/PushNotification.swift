#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One notification for one app on one device.
public struct PushNotification: Sendable {
    /// The app on the device.
    public var deviceToken: DeviceToken
    /// The app's bundle id, with the suffix of the push type where it has one. Empty for the only topic of the
    /// certificate that it is sent with.
    public var topic: String
    /// What it says.
    public var payload: PushPayload
    /// What kind it is; `nil` to let it follow from topic and payload, see ``effectivePushType``.
    public var pushType: PushType?
    /// How urgent it is; `nil` to let it follow from the push type, see ``effectivePriority``.
    public var priority: PushPriority?
    /// How long Apple tries.
    public var expiration: Expiration
    /// Notifications with the same one replace each other on the device. At most 64 bytes.
    public var collapseID: String?
    /// The id under which Apple answers; `nil` to have one made.
    public var id: UUID?

    /// Describes a notification; nothing is checked before it is sent.
    ///
    /// - Parameters:
    ///   - deviceToken: The app on the device.
    ///   - topic: The app's bundle id, with the suffix of the push type where it has one.
    ///   - payload: What it says.
    ///   - pushType: What kind it is; `nil` to let it follow from topic and payload.
    ///   - priority: How urgent it is; `nil` to let it follow from the push type.
    ///   - expiration: How long Apple tries.
    ///   - collapseID: Notifications with the same one replace each other.
    ///   - id: The id under which Apple answers; `nil` to have one made.
    public init(
        to deviceToken: DeviceToken,
        topic: String,
        payload: PushPayload,
        pushType: PushType? = nil,
        priority: PushPriority? = nil,
        expiration: Expiration = .apnsDefault,
        collapseID: String? = nil,
        id: UUID? = nil
    ) {
        self.deviceToken = deviceToken
        self.topic = topic
        self.payload = payload
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.id = id
    }
}

extension PushNotification {
    /// The push type that is sent.
    ///
    /// The one given; otherwise the one whose suffix the topic ends in; otherwise what the payload plainly is
    /// (`content-available` alone is `background`); otherwise `alert`.
    public var effectivePushType: PushType {
        inferred.pushType
    }

    /// The priority that is sent: the one given, otherwise 5 for `background` and 10 for everything else.
    public var effectivePriority: PushPriority {
        inferred.priority
    }

    /// Push type and priority as they are sent: found once and handed on.
    struct Inferred {
        var pushType: PushType
        var priority: PushPriority
        /// The push type whose suffix the topic ends in.
        var typeOfTopic: PushType?
    }

    var inferred: Inferred {
        let typeOfTopic = PushType.type(ofTopic: topic)
        let pushType = pushType ?? typeOfTopic ?? payload.reading.plainPushType ?? .alert
        return Inferred(
            pushType: pushType, priority: priority ?? Self.usualPriority(of: pushType), typeOfTopic: typeOfTopic)
    }

    private static func usualPriority(of pushType: PushType) -> PushPriority {
        pushType == .background ? .powerAware : .immediate
    }
}
