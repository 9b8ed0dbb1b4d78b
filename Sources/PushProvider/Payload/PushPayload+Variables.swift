// Functions whose custom keys are variables, not only literals: `custom: ["order": number]`. If both forms fit, Swift
// uses the form with ``PushJSONValue``, which needs no `try` for the short alert.

extension PushPayload {
    /// Creates the payload of an alert, with custom keys of any encodable type.
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
    ///   - custom: The app's own keys, beside `aps`: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or if a key is `aps`.
    @_disfavoredOverload
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
        custom: [String: any Encodable]
    ) throws(PushPayloadError) -> PushPayload {
        let alert = PlainAlert(
            title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
            threadID: threadID, mutableContent: mutableContent, contentAvailable: contentAvailable)
        return try PayloadDraft(aps: alert.aps.mapValues(EncodedJSON.value), values: custom).payload(nil)
    }

    /// Creates the payload of an alert, with every key that Apple documents and custom keys of any encodable type.
    ///
    /// - Parameters:
    ///   - alert: The alert, badge and sound.
    ///   - custom: The app's own keys, beside `aps`: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload for push type `alert`.
    /// - Throws: ``PushPayloadError`` with the path of a value that Apple does not accept or JSON cannot represent.
    @_disfavoredOverload
    public static func alert(
        _ alert: PushPayload.Alert, custom: [String: any Encodable]
    ) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: alert.aps(), values: custom).payload(.alert)
    }

    /// Creates the payload of a background notification, with custom keys of any encodable type. The system decides
    /// when it wakes the app.
    ///
    /// - Parameter custom: The app's own keys, beside `aps`: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload for push type `background`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or if a key is `aps`.
    @_disfavoredOverload
    public static func background(custom: [String: any Encodable]) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: ["content-available": .integer(1)], values: custom).payload(.background)
    }

    /// Creates the payload of an incoming call, for PushKit, with custom keys of any encodable type: up to 5120 bytes.
    /// Send it to the PushKit token.
    ///
    /// - Parameter custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload for push type `voip`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or if a key is `aps`.
    @_disfavoredOverload
    public static func voip(custom: [String: any Encodable]) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], values: custom).payload(.voip)
    }

    /// Creates the payload for an update of a watch complication, with custom keys of any encodable type. Send it to
    /// the PushKit token.
    ///
    /// - Parameter custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload for push type `complication`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or if a key is `aps`.
    @_disfavoredOverload
    public static func complication(custom: [String: any Encodable]) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], values: custom).payload(.complication)
    }

    /// Creates the payload of a location request, with custom keys of any encodable type. It needs a key (.p8). Send it
    /// to the token for location pushes.
    ///
    /// - Parameter custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload for push type `location`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or if a key is `aps`.
    @_disfavoredOverload
    public static func location(custom: [String: any Encodable]) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], values: custom).payload(.location)
    }

    /// Creates the payload for Push to Talk, with custom keys of any encodable type: a participant speaks, or a channel
    /// has changed. Send it to the token of the joined channel.
    ///
    /// - Parameters:
    ///   - isServiceUpdate: Whether it is an update of the service, without a speaker.
    ///   - custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The encoded payload for push type `pushtotalk`.
    /// - Throws: ``PushPayloadError`` with the path of a value that JSON cannot represent, or if a key is `aps`.
    @_disfavoredOverload
    public static func pushToTalk(
        isServiceUpdate: Bool = false, custom: [String: any Encodable]
    ) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: pushToTalkKeys(isServiceUpdate), values: custom).payload(.pushtotalk)
    }
}
