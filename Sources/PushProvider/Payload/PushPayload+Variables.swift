// The app's own keys from values that the program has, and not only from literals: `custom: ["order": number]`. Where both fit,
// Swift takes the form with ``JSONValue``, which needs no `try` in the short alert.

extension PushPayload {
    /// Something that the person sees or hears, with any values of yours beside it.
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
    ///   - custom: The app's own keys, beside `aps`: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON, or where a key is called `aps`.
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
    ) throws(PayloadError) -> PushPayload {
        let aps = alertKeys(
            title, subtitle, body, badge, sound, category, threadID, mutableContent: mutableContent,
            contentAvailable: contentAvailable)
        return try PayloadDraft(aps: aps.mapValues(EncodedJSON.value), values: custom).payload(nil)
    }

    /// Something that the person sees or hears, with every key that Apple documents and any values of yours beside it.
    ///
    /// - Parameters:
    ///   - alert: What is seen and heard.
    ///   - custom: The app's own keys, beside `aps`: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded, for push type `alert`.
    /// - Throws: ``PayloadError`` with the place of what Apple would not take, or of what has no form in JSON.
    @_disfavoredOverload
    public static func alert(
        _ alert: PushAlert, custom: [String: any Encodable]
    ) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: alert.aps(), values: custom).payload(.alert)
    }

    /// A silent update that wakes the app, when the system sees fit, with any values of yours.
    ///
    /// - Parameter custom: The app's own keys, beside `aps`: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded, for push type `background`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON, or where a key is called `aps`.
    @_disfavoredOverload
    public static func background(custom: [String: any Encodable]) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: ["content-available": .integer(1)], values: custom).payload(.background)
    }

    /// An incoming call, for PushKit, with any values of yours. Up to 5120 bytes; the token is PushKit's.
    ///
    /// - Parameter custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded, for push type `voip`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON, or where a key is called `aps`.
    @_disfavoredOverload
    public static func voip(custom: [String: any Encodable]) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], values: custom).payload(.voip)
    }

    /// An update of a complication on a watch, with any values of yours; the token is PushKit's.
    ///
    /// - Parameter custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded, for push type `complication`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON, or where a key is called `aps`.
    @_disfavoredOverload
    public static func complication(custom: [String: any Encodable]) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], values: custom).payload(.complication)
    }

    /// Asks for the person's location, with any values of yours. Keys (.p8) only; the token is that of location pushes.
    ///
    /// - Parameter custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded, for push type `location`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON, or where a key is called `aps`.
    @_disfavoredOverload
    public static func location(custom: [String: any Encodable]) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], values: custom).payload(.location)
    }

    /// Somebody speaks, or a channel has changed, with any values of yours. The token is that of the channel joined.
    ///
    /// - Parameters:
    ///   - isServiceUpdate: Whether it is news of the service and nobody speaks.
    ///   - custom: The app's own keys: each value is encoded as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded, for push type `pushtotalk`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON, or where a key is called `aps`.
    @_disfavoredOverload
    public static func pushToTalk(
        isServiceUpdate: Bool = false, custom: [String: any Encodable]
    ) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: pushToTalkKeys(isServiceUpdate), values: custom).payload(.pushtotalk)
    }
}
