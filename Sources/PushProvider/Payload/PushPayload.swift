public import PushJSON

/// What a notification says: JSON, encoded once. Any number of notifications can share one payload and its bytes.
public struct PushPayload: Sendable, Hashable {
    private let contents: Contents

    /// Shared by all copies: a payload goes with each of many notifications.
    private final class Contents: Sendable {
        let bytes: [UInt8]
        let reading: PayloadReading
        let pushType: PushType?
        let shape: PayloadShape?

        init(_ bytes: [UInt8], _ reading: PayloadReading, _ pushType: PushType?, _ shape: PayloadShape? = nil) {
            self.bytes = bytes
            self.reading = reading
            self.pushType = pushType
            self.shape = shape
        }
    }

    /// The body of the request.
    public var bytes: [UInt8] { contents.bytes }
    /// The push type that it was built for; `nil` where its maker has not said, and topic and contents decide.
    ///
    /// Topic suffix, priority and expiration of a notification follow from it, see ``PushNotification/effectiveTopic``.
    public var pushType: PushType? { contents.pushType }
    /// What reading the bytes brought to light; it decides what is inferred and what is refused.
    package var reading: PayloadReading { contents.reading }

    /// Takes JSON as it is.
    ///
    /// Nothing is thrown here: bytes that are not JSON are refused when they are to be sent, with the place.
    /// - Parameters:
    ///   - json: UTF-8, at most 4096 bytes, 5120 for calls.
    ///   - pushType: What it is for; `nil` to let topic and contents decide.
    public init(json: some Sequence<UInt8>, pushType: PushType? = nil) {
        let bytes = Array(json)
        contents = Contents(bytes, PayloadReading(of: bytes), pushType)
    }

    /// Takes JSON as it is.
    ///
    /// - Parameters:
    ///   - json: At most 4096 bytes of UTF-8, 5120 for calls.
    ///   - pushType: What it is for; `nil` to let topic and contents decide.
    public init(json: String, pushType: PushType? = nil) {
        self.init(json: json.utf8, pushType: pushType)
    }

    /// The same for payloads of which the lint says the same; `nil` where nobody knows of others.
    package var shape: PayloadShape? { contents.shape }

    /// Takes JSON that was put together so that looking into it is known to tell this.
    package init(encoded bytes: [UInt8], _ reading: PayloadReading, _ shape: PayloadShape? = nil) {
        contents = Contents(bytes, reading, nil, shape)
    }

    /// Takes a JSON value: an object with `aps` in most cases.
    ///
    /// - Parameters:
    ///   - value: All of it.
    ///   - pushType: What it is for; `nil` to let topic and contents decide.
    public init(_ value: JSONValue, pushType: PushType? = nil) {
        let bytes = value.encoded
        contents = Contents(bytes, PayloadReading(of: bytes, isFinite: value.isFinite), pushType)
    }
}

extension PushPayload {
    /// Two payloads are the same when their bytes are, and what they were built for.
    public static func == (left: PushPayload, right: PushPayload) -> Bool {
        left.contents === right.contents || left.bytes == right.bytes && left.pushType == right.pushType
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}

extension PushPayload {
    /// Something that the person sees or hears.
    ///
    /// Whatever is `nil` is left out, so that the device keeps its own.
    /// - Parameters:
    ///   - title: The first line.
    ///   - subtitle: The second line.
    ///   - body: The text.
    ///   - badge: The number on the app's icon; 0 removes it.
    ///   - sound: A sound file of the app, or `default`.
    ///   - category: A category that the app has registered: its actions and its interface.
    ///   - threadID: Notifications with the same one are grouped.
    ///   - mutableContent: The app's service extension may change the notification before it is shown.
    ///   - contentAvailable: The app is woken besides.
    ///   - custom: The app's own keys, beside `aps`.
    /// - Returns: The payload, encoded.
    public static func alert(
        title: String? = nil,
        subtitle: String? = nil,
        body: String? = nil,
        badge: Int? = nil,
        sound: String? = nil,
        category: String? = nil,
        threadID: String? = nil,
        mutableContent: Bool = false,
        contentAvailable: Bool = false,
        custom: [String: JSONValue] = [:]
    ) -> PushPayload {
        let aps = alertKeys(
            title, subtitle, body, badge, sound, category, threadID, mutableContent: mutableContent,
            contentAvailable: contentAvailable)
        return PushPayload(aps: aps, custom: custom)
    }

    static func alertKeys(
        _ title: String?, _ subtitle: String?, _ body: String?, _ badge: Int?, _ sound: String?, _ category: String?,
        _ threadID: String?, mutableContent: Bool, contentAvailable: Bool
    ) -> [String: JSONValue] {
        var alert: [String: JSONValue] = [:]
        alert["title"] = title.map(JSONValue.string)
        alert["subtitle"] = subtitle.map(JSONValue.string)
        alert["body"] = body.map(JSONValue.string)
        var aps: [String: JSONValue] = [:]
        if !alert.isEmpty { aps["alert"] = .object(alert) }
        aps["badge"] = badge.map(JSONValue.integer)
        aps["sound"] = sound.map(JSONValue.string)
        aps["category"] = category.map(JSONValue.string)
        aps["thread-id"] = threadID.map(JSONValue.string)
        if mutableContent { aps["mutable-content"] = 1 }
        if contentAvailable { aps["content-available"] = 1 }
        return aps
    }

    /// A silent update that wakes the app, when the system sees fit.
    ///
    /// - Parameter custom: The app's own keys, beside `aps`.
    /// - Returns: The payload, encoded.
    public static func background(custom: [String: JSONValue] = [:]) -> PushPayload {
        PushPayload(aps: ["content-available": 1], custom: custom, pushType: .background)
    }

    private init(aps: [String: JSONValue], custom: [String: JSONValue], pushType: PushType? = nil) {
        // A custom key cannot take the place of `aps`.
        self.init(.object(custom.merging(["aps": .object(aps)]) { _, aps in aps }), pushType: pushType)
    }
}

extension PushPayload {
    /// Whether the bytes are no payload at all.
    package var isUnreadable: Bool { reading.obstacle != nil }
}
