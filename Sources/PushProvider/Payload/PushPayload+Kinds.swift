public import PushJSON

// Source: Apple, "Sending notification requests to APNs", and the page of each framework. The kind decides push type,
// topic suffix, priority and expiration.

extension PushPayload {
    // MARK: Calls, complications, location

    /// Creates the payload of an incoming call, for PushKit: up to 5120 bytes. Send it to the PushKit token.
    ///
    /// - Parameter custom: The app's own keys.
    /// - Returns: The encoded payload for push type `voip`.
    /// - Throws: ``PushPayloadError`` if a key is `aps` or JSON cannot represent a number.
    public static func voip(custom: [String: PushJSONValue] = [:]) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], custom: custom).payload(.voip)
    }

    /// Creates the payload of an incoming call, with the app's own keys from one of your types, as in
    /// ``alert(_:encoding:)``.
    public static func voip(encoding custom: some Encodable) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], encoding: custom).payload(.voip)
    }

    /// Creates the payload for an update of a watch complication. Send it to the PushKit token.
    ///
    /// - Parameter custom: The app's own keys.
    /// - Returns: The encoded payload for push type `complication`.
    /// - Throws: ``PushPayloadError`` if a key is `aps` or JSON cannot represent a number.
    public static func complication(custom: [String: PushJSONValue] = [:]) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], custom: custom).payload(.complication)
    }

    /// Creates the payload for a watch complication, with the app's own keys from one of your types, as in
    /// ``alert(_:encoding:)``.
    public static func complication(encoding custom: some Encodable) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], encoding: custom).payload(.complication)
    }

    /// Creates the payload of a location request: the device runs the app's location push service extension. It needs a
    /// key (.p8). Send it to the token for location pushes.
    ///
    /// - Parameter custom: The app's own keys.
    /// - Returns: The encoded payload for push type `location`.
    /// - Throws: ``PushPayloadError`` if a key is `aps` or JSON cannot represent a number.
    public static func location(custom: [String: PushJSONValue] = [:]) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], custom: custom).payload(.location)
    }

    /// Creates the payload of a location request, with the app's own keys from one of your types, as in
    /// ``alert(_:encoding:)``.
    public static func location(encoding custom: some Encodable) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], encoding: custom).payload(.location)
    }

    // MARK: Push to Talk

    /// Creates the payload for Push to Talk: a participant speaks, or a channel has changed. Apple tries once and does
    /// not store it. Send it to the token of the joined channel.
    ///
    /// - Parameters:
    ///   - isServiceUpdate: Whether it is an update of the service, without a speaker.
    ///   - custom: The app's own keys, for example who speaks.
    /// - Returns: The encoded payload for push type `pushtotalk`.
    /// - Throws: ``PushPayloadError`` if a key is `aps` or JSON cannot represent a number.
    public static func pushToTalk(
        isServiceUpdate: Bool = false, custom: [String: PushJSONValue] = [:]
    ) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: pushToTalkKeys(isServiceUpdate), custom: custom).payload(.pushtotalk)
    }

    /// Creates the payload for Push to Talk, with the app's own keys from one of your types, as in
    /// ``alert(_:encoding:)``.
    public static func pushToTalk(
        isServiceUpdate: Bool = false, encoding custom: some Encodable
    ) throws(PushPayloadError) -> PushPayload {
        try PayloadDraft(aps: pushToTalkKeys(isServiceUpdate), encoding: custom).payload(.pushtotalk)
    }

    static func pushToTalkKeys(_ isServiceUpdate: Bool) -> [String: EncodedJSON] {
        isServiceUpdate ? ["ptt-push-type": .text("service-update")] : [:]
    }

    // MARK: Widgets and controls

    /// The payload that reloads the app's widgets. Send it to the token for widgets.
    public static var widgets: PushPayload {
        PayloadDraft(aps: ["content-changed": .value(true)]).payload(.widgets)
    }

    /// The payload for a changed state of the app's controls (iOS 18). Send it to the token of the control.
    public static var controls: PushPayload {
        PayloadDraft(aps: ["content-changed": .value(true)]).payload(.controls)
    }

    // MARK: Accessories

    /// Creates the payload of an accessory's answer to a forwarded notification (iOS 26.5). Your server gets all four
    /// values from the accessory; send it to the push token of the accessory's session. It shows nothing.
    ///
    /// Source: Apple, "Responding to forwarded notifications".
    ///
    /// - Parameters:
    ///   - encryptedData: The encrypted answer, in base64.
    ///   - sessionIdentifier: The identifier of the session.
    ///   - keyID: The id of the key that decrypts the answer, in base64.
    ///   - messageIndex: The number of the message. Apple documents a string.
    /// - Returns: The encoded payload for push type `accessory`.
    public static func accessory(
        encryptedData: String, sessionIdentifier: String, keyID: String, messageIndex: UInt64
    ) -> PushPayload {
        PayloadDraft(aps: [
            "encryptedData": .text(encryptedData), "sessionIdentifier": .text(sessionIdentifier),
            "keyID": .text(keyID), "messageIndex": .text(String(messageIndex)),
        ]).payload(.accessory)
    }

    // MARK: Files, devices, passes, websites

    /// Creates the payload for a change in a container of a File Provider.
    ///
    /// - Parameters:
    ///   - containerIdentifier: The id of the changed container.
    ///   - domain: The domain of the container.
    /// - Returns: The encoded payload for push type `fileprovider`.
    public static func fileProvider(containerIdentifier: String, domain: String) -> PushPayload {
        var draft = PayloadDraft(aps: nil)
        draft.set("container-identifier", containerIdentifier)
        draft.set("domain", domain)
        return draft.payload(.fileprovider)
    }

    /// Creates the payload that makes a managed device contact its MDM server. The topic is the subject UID of the MDM
    /// certificate.
    ///
    /// - Parameter pushMagic: The push magic that the device sent when it was enrolled.
    /// - Returns: The encoded payload for push type `mdm`.
    public static func mdm(pushMagic: String) -> PushPayload {
        var draft = PayloadDraft(aps: nil)
        draft.set("mdm", pushMagic)
        return draft.payload(.mdm)
    }

    /// The payload for a changed pass or order in Wallet: an empty object. The topic is the pass type id, for an order
    /// the order type id. Passes are in production only, and have their own certificate.
    public static var wallet: PushPayload {
        PayloadDraft(aps: nil).payload(.alert)
    }

    /// Creates the payload of a website push for old versions of Safari. The topic is the website push id: `web.` and
    /// the reversed domain. It cannot have custom keys.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - body: The text.
    ///   - action: The label of the button.
    ///   - urlArguments: The values for the placeholders in the website's `urlFormatString`, one for each placeholder.
    /// - Returns: The encoded payload for push type `alert`.
    public static func safari(
        title: String, body: String, action: String? = nil, urlArguments: [String]
    ) -> PushPayload {
        var alert = ["title": EncodedJSON.text(title), "body": .text(body)]
        alert.set("action", action)
        return PayloadDraft(aps: ["alert": .object(alert), "url-args": .texts(urlArguments)]).payload(.alert)
    }
}
