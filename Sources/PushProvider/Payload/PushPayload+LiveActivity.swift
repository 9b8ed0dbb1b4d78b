public import PushJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications". What the app decodes is encoded
// as its default JSONDecoder reads it; the dates of the system are UNIX seconds.

extension PushPayload {
    /// Starts a Live Activity (iOS 17.2), on a device whose push-to-start token the app has told.
    ///
    /// - Parameters:
    ///   - attributesType: The name of the app's `ActivityAttributes` type.
    ///   - attributes: What does not change: what that type decodes.
    ///   - contentState: What changes: what its `ContentState` decodes.
    ///   - alert: What is said; a start cannot do without.
    ///   - timestamp: When this was so; the device shows the newest.
    ///   - staleDate: When it is out of date.
    ///   - relevanceScore: Its weight among the app's Live Activities; any number.
    ///   - input: From where it gets its updates (iOS 18); older devices do not start one with it.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The payload, encoded, for push type `liveactivity`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON or is no time.
    public static func startLiveActivity(
        _ attributesType: String,
        attributes: some Encodable,
        contentState: some Encodable,
        alert: LiveActivityAlert,
        timestamp: Date = Date(),
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        input: LiveActivityInput? = nil,
        otherKeys: [String: JSONValue] = [:]
    ) throws(PayloadError) -> PushPayload {
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

    /// Changes a Live Activity, on the device of its update token or, by broadcast, on all that listen to a channel.
    ///
    /// - Parameters:
    ///   - contentState: What changes: what its `ContentState` decodes.
    ///   - alert: What is said, where something is.
    ///   - timestamp: When this was so; the device shows the newest.
    ///   - staleDate: When it is out of date.
    ///   - relevanceScore: Its weight among the app's Live Activities; any number.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The payload, encoded, for push type `liveactivity`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON or is no time.
    public static func updateLiveActivity(
        contentState: some Encodable,
        alert: LiveActivityAlert? = nil,
        timestamp: Date = Date(),
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        otherKeys: [String: JSONValue] = [:]
    ) throws(PayloadError) -> PushPayload {
        var event = try LiveActivityEvent("update", timestamp, otherKeys)
        try event.encode(contentState, as: "content-state")
        event.aps["alert"] = alert?.tree
        try event.set(staleDate, as: "stale-date")
        try event.set(relevance: relevanceScore)
        return event.payload
    }

    /// Ends a Live Activity, with the state that it is left in.
    ///
    /// - Parameters:
    ///   - contentState: The last state: what its `ContentState` decodes.
    ///   - alert: What is said, where something is.
    ///   - timestamp: When this was so; the device shows the newest.
    ///   - dismissal: How long it stays on the Lock Screen.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The payload, encoded, for push type `liveactivity`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON or is no time.
    public static func endLiveActivity(
        contentState: some Encodable,
        alert: LiveActivityAlert? = nil,
        timestamp: Date = Date(),
        dismissal: LiveActivityDismissal = .bySystem,
        otherKeys: [String: JSONValue] = [:]
    ) throws(PayloadError) -> PushPayload {
        var event = try LiveActivityEvent("end", timestamp, otherKeys)
        try event.encode(contentState, as: "content-state")
        event.aps["alert"] = alert?.tree
        try event.set(dismissal)
        return event.payload
    }

    /// Ends a Live Activity as it stands. Apple advises to give it a last state.
    ///
    /// - Parameters:
    ///   - alert: What is said, where something is.
    ///   - timestamp: When this was so.
    ///   - dismissal: How long it stays on the Lock Screen.
    ///   - otherKeys: Keys of `aps` that this version of the library does not know.
    /// - Returns: The payload, encoded, for push type `liveactivity`.
    /// - Throws: ``PayloadError`` with the place of what is no time.
    public static func endLiveActivity(
        alert: LiveActivityAlert? = nil,
        timestamp: Date = Date(),
        dismissal: LiveActivityDismissal = .bySystem,
        otherKeys: [String: JSONValue] = [:]
    ) throws(PayloadError) -> PushPayload {
        var event = try LiveActivityEvent("end", timestamp, otherKeys)
        event.aps["alert"] = alert?.tree
        try event.set(dismissal)
        return event.payload
    }
}

/// The `aps` of a Live Activity as it is put together.
private struct LiveActivityEvent {
    var aps: [String: EncodedJSON]
    private let seconds: Int

    init(_ name: String, _ timestamp: Date, _ otherKeys: [String: JSONValue]) throws(PayloadError) {
        aps = try otherKeys.checkedTrees(in: "aps")
        seconds = try Self.seconds(timestamp, "aps.timestamp")
        aps["event"] = .text(name)
        aps["timestamp"] = .integer(seconds)
    }

    var payload: PushPayload { PayloadDraft(aps: aps).payload(.liveactivity) }

    /// Sets what the app decodes; it has to be an object.
    mutating func encode(_ value: some Encodable, as name: String) throws(PayloadError) {
        let tree = try PayloadEncoder.tree(of: value, as: "aps.\(name)")
        guard tree.members != nil else { throw .notAnObject("aps.\(name)") }
        aps[name] = tree
    }

    mutating func set(_ date: Date?, as name: String) throws(PayloadError) {
        if let date { aps[name] = .integer(try Self.seconds(date, "aps.\(name)")) }
    }

    mutating func set(relevance: Double?) throws(PayloadError) {
        guard let relevance else { return }
        guard relevance.isFinite else { throw .notFinite("aps.relevance-score") }
        aps["relevance-score"] = .value(.number(relevance))
    }

    mutating func set(_ dismissal: LiveActivityDismissal) throws(PayloadError) {
        switch dismissal {
        case .bySystem: break
        // A time that has passed, also by a device's clock that is a little behind.
        case .immediately: aps["dismissal-date"] = .integer(max(0, seconds - 60))
        case .at(let date): try set(date, as: "dismissal-date")
        }
    }

    private static func seconds(_ date: Date, _ place: String) throws(PayloadError) -> Int {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= 0, seconds < 100_000_000_000, let whole = Int(exactly: seconds) else { throw .noTime(place) }
        return whole
    }
}
