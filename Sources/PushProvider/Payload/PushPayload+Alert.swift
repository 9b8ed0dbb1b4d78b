public import PushJSON

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
