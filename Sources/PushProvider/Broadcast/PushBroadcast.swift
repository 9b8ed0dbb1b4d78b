public import PushPlatform

/// One update of a Live Activity for all devices that subscribe to a channel (iOS 18 and later).
public struct PushBroadcast: Sendable {
    /// The channel.
    public var channel: PushChannel.ID
    /// The app's bundle id, without the suffix of a push type.
    public var bundleID: String
    /// The payload: an `update` or an `end` of a Live Activity, at most 5120 bytes.
    public var payload: PushPayload
    /// The priority: 10, 5 or 1.
    public var priority: PushPriority
    /// How long Apple tries to deliver it. Only a channel that stores the newest broadcast
    /// (``PushChannel/Storage/newest``) accepts another value than one attempt. ``PushExpiration/apnsDefault`` is refused.
    public var expiration: PushExpiration
    /// The `apns-request-id`, which Apple returns in the answer; `nil` to let the client create one.
    public var requestID: UUID?

    /// Creates a broadcast. It is checked when it is sent.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - bundleID: The app's bundle id, without the suffix of a push type.
    ///   - payload: The payload: an `update` or an `end` of a Live Activity.
    ///   - priority: The priority.
    ///   - expiration: How long Apple tries to deliver it; one attempt by default, which every channel accepts.
    ///   - requestID: The `apns-request-id`; `nil` to let the client create one.
    public init(
        to channel: PushChannel.ID, bundleID: String, payload: PushPayload, priority: PushPriority = .immediate,
        expiration: PushExpiration = .once, requestID: UUID? = nil
    ) {
        self.channel = channel
        self.bundleID = bundleID
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
        self.requestID = requestID
    }
}
