public import APNSVocabulary
internal import PushJSON
public import PushPlatform
public import PushProvider
import PushTime

/// A notification for a push service.
public struct ServicePush: Sendable {
    /// The target of a notification.
    public enum Target: Sendable, Hashable {
        /// A device token, in hex.
        case device(String)
        case channel(String)
    }

    /// When the service stops trying to send it.
    public enum Expiry: Sendable, Hashable {
        case at(Date)
        /// A duration after it is due.
        case after(Duration)
    }

    /// The device or the channel.
    public var target: Target
    /// The payload.
    public var payload: PushPayload
    /// The app; `nil` for the only app of the key.
    public var app: String?
    /// The topic; `nil` for that of the app. The service adds no suffix: for a call, for example, it is the bundle id followed by `.voip`.
    public var topic: String?
    /// The push type; `nil` for that of the payload.
    public var pushType: PushType?
    /// The priority for APNs; `nil` for the usual one.
    public var priority: PushPriority?
    /// The collapse id; `nil` for none.
    public var collapseID: String?
    /// When to send it; `nil` for at once.
    public var deliverAt: Date?
    /// When the service stops trying; `nil` for the setting of the app.
    public var expiry: Expiry?
    /// A later notification of the app with the same key is not queued; `nil` for none.
    public var dedupeKey: String?
    /// When the app registered the device token, so that an older report of a gone token does not count; `nil` if unknown.
    public var registeredAt: Date?

    /// Creates a notification to a device.
    ///
    /// - Parameters:
    ///   - deviceToken: The device token, in hex.
    ///   - payload: The payload.
    public init(to deviceToken: String, payload: PushPayload) {
        (target, self.payload) = (.device(deviceToken), payload)
    }

    /// Creates a notification to all devices that subscribe to a channel.
    ///
    /// - Parameters:
    ///   - channel: The id of the channel.
    ///   - payload: The payload, an update or the end of a Live Activity.
    public init(toChannel channel: String, payload: PushPayload) {
        (target, self.payload) = (.channel(channel), payload)
    }

    /// The JSON of the API. The bytes of the payload are its own.
    var json: [UInt8] {
        var members: [(String, PushJSONValue)] = []
        switch target {
        case .device(let token): members.append(("token", .string(token)))
        case .channel(let id): members.append(("channel", .string(id)))
        }
        if let app { members.append(("app", .string(app))) }
        if let topic { members.append(("topic", .string(topic))) }
        let type = pushType ?? payload.pushType
        if let type { members.append(("push_type", .string(type.rawValue))) }
        if let priority { members.append(("priority", .integer(priority.rawValue))) }
        if let collapseID { members.append(("collapse_id", .string(collapseID))) }
        if let deliverAt { members.append(("deliver_at", .string(deliverAt.rfc3339))) }
        switch expiry {
        case .at(let date): members.append(("expires_at", .string(date.rfc3339)))
        case .after(let duration): members.append(("ttl", .string("\(max(1, duration.components.seconds))s")))
        case nil: if type?.isOnlyForNow == true { members.append(("once", .bool(true))) }
        }
        if let dedupeKey { members.append(("dedupe_key", .string(dedupeKey))) }
        if let registeredAt { members.append(("registered_at", .string(registeredAt.rfc3339))) }
        var bytes = PushJSONValue.object(Dictionary(members) { first, _ in first }).encoded
        bytes.removeLast()
        bytes += Array(",\"payload\":".utf8) + payload.bytes
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
