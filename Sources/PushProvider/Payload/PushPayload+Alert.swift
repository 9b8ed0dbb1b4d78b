public import PushJSON

extension PushPayload {
    /// Something that the person sees or hears, with every key that Apple documents.
    ///
    /// - Parameters:
    ///   - alert: What is seen and heard.
    ///   - custom: The app's own keys, beside `aps`.
    /// - Returns: The payload, encoded, for push type `alert`.
    /// - Throws: ``PayloadError`` with the place of what Apple would not take.
    public static func alert(
        _ alert: PushAlert, custom: [String: JSONValue] = [:]
    ) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: alert.aps(), custom: custom).payload(.alert)
    }

    /// The same with the app's own keys from a type of yours.
    ///
    /// - Parameters:
    ///   - alert: What is seen and heard.
    ///   - custom: The app's own keys: anything that is an object in JSON. It is encoded as Foundation's `JSONEncoder` does
    ///     by default, so that the device's default `JSONDecoder` reads it: a `Date` as the seconds since 2001, `Data` as
    ///     base64.
    /// - Returns: The payload, encoded, for push type `alert`.
    /// - Throws: ``PayloadError`` with the place of what Apple would not take, or of what has no form in JSON.
    public static func alert(
        _ alert: PushAlert, encoding custom: some Encodable
    ) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: alert.aps(), encoding: custom).payload(.alert)
    }

    /// A silent update that wakes the app, when the system sees fit; the app's own keys come from a type of yours.
    ///
    /// - Parameter custom: The app's own keys, as in ``alert(_:encoding:)``.
    /// - Returns: The payload, encoded, for push type `background`.
    /// - Throws: ``PayloadError`` with the place of what has no form in JSON.
    public static func background(encoding custom: some Encodable) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: ["content-available": .integer(1)], encoding: custom).payload(.background)
    }
}
