public import PushJSON

/// The payload of a notification: JSON, encoded once. Any number of notifications can share one payload and its bytes.
///
/// Each kind of payload has its own function, in an extension.
public struct PushPayload: Sendable, Hashable {
    private let contents: Contents

    /// The contents, shared by all copies.
    private final class Contents: Sendable {
        let bytes: [UInt8]
        let reading: PayloadFacts
        let pushType: PushType?
        let shape: PayloadShape?

        init(_ bytes: [UInt8], _ reading: PayloadFacts, _ pushType: PushType?, _ shape: PayloadShape? = nil) {
            self.bytes = bytes
            self.reading = reading
            self.pushType = pushType
            self.shape = shape
        }
    }

    /// The body of the request.
    public var bytes: [UInt8] { contents.bytes }
    /// The push type that the payload was built for; `nil` if none was given, so topic and contents decide.
    ///
    /// Topic suffix, priority and expiration of a notification follow from it, see ``PushNotification/effectiveTopic``.
    public var pushType: PushType? { contents.pushType }
    /// The facts from parsing the bytes. They decide which values are derived, and whether the payload is refused.
    package var reading: PayloadFacts { contents.reading }

    /// Creates a payload from JSON, without changes.
    ///
    /// It throws no error: bytes that are not JSON are refused when they are sent, with the position of the error.
    /// - Parameters:
    ///   - json: JSON in UTF-8, at most 4096 bytes, 5120 for calls.
    ///   - pushType: The push type; `nil` to derive it from topic and contents.
    public init(json: some Sequence<UInt8>, pushType: PushType? = nil) {
        let bytes = Array(json)
        contents = Contents(bytes, PayloadFacts(of: bytes), pushType)
    }

    /// Creates a payload from a string with JSON, without changes.
    ///
    /// - Parameters:
    ///   - json: JSON, at most 4096 bytes of UTF-8, 5120 for calls.
    ///   - pushType: The push type; `nil` to derive it from topic and contents.
    public init(json: String, pushType: PushType? = nil) {
        self.init(json: json.utf8, pushType: pushType)
    }

    /// The mark that this payload shares with payloads that have the same findings; `nil` if no such payloads are
    /// known.
    package var shape: PayloadShape? { contents.shape }

    /// Creates a payload from JSON with a known reading, without parsing it.
    package init(encoded bytes: [UInt8], _ reading: PayloadFacts, _ shape: PayloadShape? = nil) {
        contents = Contents(bytes, reading, nil, shape)
    }

    /// Creates a payload from a JSON value, usually an object with `aps`.
    ///
    /// - Parameters:
    ///   - value: The whole payload.
    ///   - pushType: The push type; `nil` to derive it from topic and contents.
    public init(_ value: PushJSONValue, pushType: PushType? = nil) {
        let bytes = value.encoded
        contents = Contents(bytes, PayloadFacts(of: bytes, isFinite: value.isFinite), pushType)
    }
}

extension PushPayload {
    /// Returns whether two payloads have the same bytes and the same push type.
    ///
    /// - Parameters:
    ///   - left: A payload.
    ///   - right: Another payload.
    /// - Returns: Whether they are equal.
    public static func == (left: PushPayload, right: PushPayload) -> Bool {
        left.contents === right.contents || left.bytes == right.bytes && left.pushType == right.pushType
    }

    /// Hashes the bytes of the payload.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }

    /// Creates the payload of an alert.
    ///
    /// A value that is `nil` is not sent, so the device keeps its own value.
    /// - Parameters:
    ///   - title: The title: the first line.
    ///   - subtitle: The subtitle: the second line.
    ///   - body: The text.
    ///   - badge: The number on the app's icon; 0 removes it.
    ///   - sound: The name of a sound file in the app, or `default`.
    ///   - category: A category that the app has registered; it has actions and an interface.
    ///   - threadID: The id of a group. The device groups notifications with the same id.
    ///   - mutableContent: Whether the app's service extension may change the notification before it is shown.
    ///   - contentAvailable: Whether the device also wakes the app in the background.
    ///   - custom: The app's own keys, beside `aps`.
    /// - Returns: The encoded payload.
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
        custom: [String: PushJSONValue] = [:]
    ) -> PushPayload {
        let alert = PlainAlert(
            title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
            threadID: threadID, mutableContent: mutableContent, contentAvailable: contentAvailable)
        return PushPayload(aps: alert.aps, custom: custom)
    }

    /// An alert with texts only, whose values are not checked. ``PushPayload/Alert`` has every key.
    struct PlainAlert {
        var title: String?
        var subtitle: String?
        var body: String?
        var badge: Int?
        var sound: String?
        var category: String?
        var threadID: String?
        var mutableContent: Bool
        var contentAvailable: Bool

        var aps: [String: PushJSONValue] {
            var alert: [String: PushJSONValue] = [:]
            alert["title"] = title.map(PushJSONValue.string)
            alert["subtitle"] = subtitle.map(PushJSONValue.string)
            alert["body"] = body.map(PushJSONValue.string)
            var aps: [String: PushJSONValue] = [:]
            if !alert.isEmpty { aps["alert"] = .object(alert) }
            aps["badge"] = badge.map(PushJSONValue.integer)
            aps["sound"] = sound.map(PushJSONValue.string)
            aps["category"] = category.map(PushJSONValue.string)
            aps["thread-id"] = threadID.map(PushJSONValue.string)
            if mutableContent { aps["mutable-content"] = 1 }
            if contentAvailable { aps["content-available"] = 1 }
            return aps
        }
    }

    /// Creates the payload of a background notification. The system decides when it wakes the app.
    ///
    /// - Parameter custom: The app's own keys, beside `aps`.
    /// - Returns: The encoded payload for push type `background`.
    public static func background(custom: [String: PushJSONValue] = [:]) -> PushPayload {
        PushPayload(aps: ["content-available": 1], custom: custom, pushType: .background)
    }

    private init(aps: [String: PushJSONValue], custom: [String: PushJSONValue], pushType: PushType? = nil) {
        // A custom key cannot replace `aps`.
        self.init(.object(custom.merging(["aps": .object(aps)]) { _, aps in aps }), pushType: pushType)
    }

    package var isUnreadable: Bool { reading.problem != nil }
}

/// A mark that payloads share if findings of the lint in one of them are also true for the others.
///
/// All marks are equal for `==`, so that payloads are equal if their bytes are. To distinguish marks, compare
/// identities.
package final class PayloadShape: Sendable, Hashable {
    /// The findings in one payload that are also true for the others.
    package enum Reach: Sendable {
        /// All findings except errors: all payloads come from one template.
        case warnings
        /// Only the result that there are no findings.
        case nothingFound
    }

    package let reach: Reach

    package init(_ reach: Reach) {
        self.reach = reach
    }

    package static func == (left: PayloadShape, right: PayloadShape) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

extension PushPayload {
    /// Creates the payload of an alert, with every key that Apple documents.
    ///
    /// - Parameters:
    ///   - alert: The alert, badge and sound.
    ///   - custom: The app's own keys, beside `aps`.
    /// - Returns: The encoded payload for push type `alert`.
    /// - Throws: ``PushPayloadError`` with the path of a value that Apple does not accept.
    public static func alert(
        _ alert: PushPayload.Alert, custom: [String: PushJSONValue] = [:]
    ) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: alert.aps(), custom: custom).payload(.alert)
    }

    /// Creates the payload of an alert, with the app's own keys from one of your types.
    ///
    /// - Parameters:
    ///   - alert: The alert, badge and sound.
    ///   - custom: The app's own keys: any value that is an object in JSON. It is encoded as Foundation's `JSONEncoder`
    ///     does by default, so the default `JSONDecoder` on the device can read it: a `Date` as the seconds since 2001,
    ///     `Data` as base64.
    /// - Returns: The encoded payload for push type `alert`.
    /// - Throws: ``PushPayloadError`` with the path of a value that Apple does not accept or JSON cannot represent.
    public static func alert(
        _ alert: PushPayload.Alert, encoding custom: some Encodable
    ) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: alert.aps(), encoding: custom).payload(.alert)
    }

    /// Creates the payload of a background notification, with the app's own keys from one of your types. The system
    /// decides when it wakes the app.
    ///
    /// - Parameter custom: The app's own keys, as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload for push type `background`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent.
    public static func background(encoding custom: some Encodable) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: ["content-available": .integer(1)], encoding: custom).payload(.background)
    }
}
