public import PushJSON
public import PushPlatform

// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications". Values that the
// app decodes are encoded for its default JSONDecoder. Dates that the system reads are UNIX seconds.

extension PushPayload {
    /// Creates the payload that starts a Live Activity (iOS 17.2). Send it to the push-to-start token of the device.
    ///
    /// - Parameters:
    ///   - attributesType: The name of the app's `ActivityAttributes` type.
    ///   - attributes: The constant values, which that type decodes.
    ///   - contentState: The current state, which its `ContentState` decodes.
    ///   - alert: The alert; it is required for a start.
    ///   - timestamp: The time of this state. The device shows the newest state.
    ///   - staleDate: When the state is out of date.
    ///   - relevanceScore: The weight among the app's Live Activities; any number.
    ///   - input: How the Live Activity gets its updates (iOS 18). Older devices do not start a Live Activity with it.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The encoded payload for push type `liveactivity`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or of an invalid time.
    public static func startLiveActivity(
        _ attributesType: String,
        attributes: some Encodable,
        contentState: some Encodable,
        alert: PushPayload.LiveActivity.Alert,
        timestamp: Date = Date(),
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        input: PushPayload.LiveActivity.Input? = nil,
        otherKeys: [String: PushJSONValue] = [:]
    ) throws(PushPayloadError) -> PushPayload {
        var event = try LiveActivityEvent("start", timestamp, otherKeys)
        event.aps["attributes-type"] = .text(attributesType)
        try event.encode(attributes, as: "attributes")
        try event.encode(contentState, as: "content-state")
        event.aps["alert"] = alert.tree
        try event.set(staleDate, as: "stale-date")
        try event.set(relevance: relevanceScore)
        input?.write(to: &event.aps)
        return event.payload
    }

    /// Creates the payload that updates a Live Activity. Send it to its update token, or as a broadcast to a channel.
    ///
    /// - Parameters:
    ///   - contentState: The current state, which its `ContentState` decodes.
    ///   - alert: The alert; `nil` for none.
    ///   - timestamp: The time of this state. The device shows the newest state.
    ///   - staleDate: When the state is out of date.
    ///   - relevanceScore: The weight among the app's Live Activities; any number.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The encoded payload for push type `liveactivity`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or of an invalid time.
    public static func updateLiveActivity(
        contentState: some Encodable,
        alert: PushPayload.LiveActivity.Alert? = nil,
        timestamp: Date = Date(),
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        otherKeys: [String: PushJSONValue] = [:]
    ) throws(PushPayloadError) -> PushPayload {
        var event = try LiveActivityEvent("update", timestamp, otherKeys)
        try event.encode(contentState, as: "content-state")
        event.aps["alert"] = alert?.tree
        try event.set(staleDate, as: "stale-date")
        try event.set(relevance: relevanceScore)
        return event.payload
    }

    /// Creates the payload that ends a Live Activity, with its last state.
    ///
    /// - Parameters:
    ///   - contentState: The last state, which its `ContentState` decodes.
    ///   - alert: The alert; `nil` for none.
    ///   - timestamp: The time of this state. The device shows the newest state.
    ///   - dismissal: How long it stays on the Lock Screen.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The encoded payload for push type `liveactivity`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or of an invalid time.
    public static func endLiveActivity(
        contentState: some Encodable,
        alert: PushPayload.LiveActivity.Alert? = nil,
        timestamp: Date = Date(),
        dismissal: PushPayload.LiveActivity.Dismissal = .bySystem,
        otherKeys: [String: PushJSONValue] = [:]
    ) throws(PushPayloadError) -> PushPayload {
        var event = try LiveActivityEvent("end", timestamp, otherKeys)
        try event.encode(contentState, as: "content-state")
        event.aps["alert"] = alert?.tree
        try event.set(dismissal)
        return event.payload
    }

    /// Creates the payload that ends a Live Activity without a new state. Apple recommends to send a last state.
    ///
    /// - Parameters:
    ///   - alert: The alert; `nil` for none.
    ///   - timestamp: The time of this state.
    ///   - dismissal: How long it stays on the Lock Screen.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The encoded payload for push type `liveactivity`.
    /// - Throws: ``PushPayloadError`` with the path of an invalid time.
    public static func endLiveActivity(
        alert: PushPayload.LiveActivity.Alert? = nil,
        timestamp: Date = Date(),
        dismissal: PushPayload.LiveActivity.Dismissal = .bySystem,
        otherKeys: [String: PushJSONValue] = [:]
    ) throws(PushPayloadError) -> PushPayload {
        var event = try LiveActivityEvent("end", timestamp, otherKeys)
        event.aps["alert"] = alert?.tree
        try event.set(dismissal)
        return event.payload
    }
}

private struct LiveActivityEvent {
    var aps: [String: EncodedJSON]
    private let seconds: Int

    init(_ name: String, _ timestamp: Date, _ otherKeys: [String: PushJSONValue]) throws(PushPayloadError) {
        aps = try otherKeys.checkedTrees(in: "aps")
        seconds = try Self.seconds(timestamp, "aps.timestamp")
        aps["event"] = .text(name)
        aps["timestamp"] = .integer(seconds)
    }

    var payload: PushPayload { PayloadDraft(aps: aps).payload(.liveactivity) }

    /// Sets a value that the app decodes. It must be an object.
    mutating func encode(_ value: some Encodable, as name: String) throws(PushPayloadError) {
        let tree = try PayloadEncoder.tree(of: value, as: "aps.\(name)")
        guard tree.members != nil else { throw .notAnObject("aps.\(name)") }
        aps[name] = tree
    }

    mutating func set(_ date: Date?, as name: String) throws(PushPayloadError) {
        if let date { aps[name] = .integer(try Self.seconds(date, "aps.\(name)")) }
    }

    mutating func set(relevance: Double?) throws(PushPayloadError) {
        guard let relevance else { return }
        guard relevance.isFinite else { throw .notFinite("aps.relevance-score") }
        aps["relevance-score"] = .value(.number(relevance))
    }

    mutating func set(_ dismissal: PushPayload.LiveActivity.Dismissal) throws(PushPayloadError) {
        switch dismissal {
        case .bySystem: break
        // A time in the past, even if the clock of the device is a little behind.
        case .immediately: aps["dismissal-date"] = .integer(max(0, seconds - 60))
        case .at(let date): try set(date, as: "dismissal-date")
        }
    }

    private static func seconds(_ date: Date, _ path: String) throws(PushPayloadError) -> Int {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= 0, seconds < 100_000_000_000, let whole = Int(exactly: seconds) else { throw .noTime(path) }
        return whole
    }
}

extension PushPayload {
    /// The alert, the updates and the end of a Live Activity. `startLiveActivity`, `updateLiveActivity` and `endLiveActivity` take them.
    public enum LiveActivity {}
}

extension PushPayload.LiveActivity {
    /// The alert when a Live Activity starts, changes or ends, on devices that show an alert for it.
    ///
    /// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications".
    public struct Alert: Sendable, Hashable {
        /// The title.
        public var title: PushPayload.Text
        /// The text.
        public var body: PushPayload.Text
        /// The name of a sound file in the app, or `default`.
        public var sound: String?

        /// Creates an alert.
        ///
        /// - Parameters:
        ///   - title: The title.
        ///   - body: The text.
        ///   - sound: The name of a sound file in the app, or `default`.
        public init(title: PushPayload.Text, body: PushPayload.Text, sound: String? = nil) {
            self.title = title
            self.body = body
            self.sound = sound
        }

        var tree: EncodedJSON {
            var members = ["title": title.tree, "body": body.tree]
            members.set("sound", sound)
            return .object(members)
        }
    }

    /// How a Live Activity that a push has started gets its updates (iOS 18): by a token or by a channel, never by both.
    public enum Input: Sendable, Hashable {
        /// By pushes to its own update token, which the app sends to your server.
        case token
        /// By broadcasts on a channel with this id, in base64.
        case channel(String)

        func write(to aps: inout [String: EncodedJSON]) {
            switch self {
            case .token: aps["input-push-token"] = .integer(1)
            case .channel(let id): aps["input-push-channel"] = .text(id)
            }
        }
    }

    /// How long an ended Live Activity stays on the Lock Screen.
    public enum Dismissal: Sendable, Hashable {
        /// As long as the system decides: up to four hours.
        case bySystem
        case immediately
        /// Until this time, but at most four hours.
        case at(Date)
    }
}
