public import PushJSON

// Source: Apple, "Sending notification requests to APNs", and the page of each framework. Push type, topic suffix, priority and
// expiration follow from the kind.

extension PushPayload {
    // MARK: Calls, complications, location

    /// An incoming call, for PushKit. Up to 5120 bytes; the token is PushKit's.
    ///
    /// - Parameter custom: The app's own keys.
    /// - Returns: The payload, encoded, for push type `voip`.
    /// - Throws: ``PayloadError`` where a key is called `aps` or a number has no form in JSON.
    public static func voip(custom: [String: JSONValue] = [:]) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], custom: custom).payload(.voip)
    }

    /// An incoming call, for PushKit; the app's own keys come from a type of yours, as in ``alert(_:encoding:)``.
    public static func voip(encoding custom: some Encodable) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], encoding: custom).payload(.voip)
    }

    /// An update of a complication on a watch; the token is PushKit's.
    ///
    /// - Parameter custom: The app's own keys.
    /// - Returns: The payload, encoded, for push type `complication`.
    /// - Throws: ``PayloadError`` where a key is called `aps` or a number has no form in JSON.
    public static func complication(custom: [String: JSONValue] = [:]) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], custom: custom).payload(.complication)
    }

    /// An update of a complication; the app's own keys come from a type of yours, as in ``alert(_:encoding:)``.
    public static func complication(encoding custom: some Encodable) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], encoding: custom).payload(.complication)
    }

    /// Asks for the person's location: the app's location push service extension is run. Keys (.p8) only; the token is that
    /// of location pushes.
    ///
    /// - Parameter custom: The app's own keys.
    /// - Returns: The payload, encoded, for push type `location`.
    /// - Throws: ``PayloadError`` where a key is called `aps` or a number has no form in JSON.
    public static func location(custom: [String: JSONValue] = [:]) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], custom: custom).payload(.location)
    }

    /// Asks for the person's location; the app's own keys come from a type of yours, as in ``alert(_:encoding:)``.
    public static func location(encoding custom: some Encodable) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: [:], encoding: custom).payload(.location)
    }

    // MARK: Push to Talk

    /// Somebody speaks, or a channel has changed. Sent once and not stored; the token is that of the channel joined.
    ///
    /// - Parameters:
    ///   - isServiceUpdate: Whether it is news of the service and nobody speaks.
    ///   - custom: The app's own keys, for example who speaks.
    /// - Returns: The payload, encoded, for push type `pushtotalk`.
    /// - Throws: ``PayloadError`` where a key is called `aps` or a number has no form in JSON.
    public static func pushToTalk(
        isServiceUpdate: Bool = false, custom: [String: JSONValue] = [:]
    ) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: pushToTalkKeys(isServiceUpdate), custom: custom).payload(.pushtotalk)
    }

    /// Somebody speaks; the app's own keys come from a type of yours, as in ``alert(_:encoding:)``.
    public static func pushToTalk(
        isServiceUpdate: Bool = false, encoding custom: some Encodable
    ) throws(PayloadError) -> PushPayload {
        try PayloadDraft(aps: pushToTalkKeys(isServiceUpdate), encoding: custom).payload(.pushtotalk)
    }

    static func pushToTalkKeys(_ isServiceUpdate: Bool) -> [String: EncodedJSON] {
        isServiceUpdate ? ["ptt-push-type": .text("service-update")] : [:]
    }

    // MARK: Widgets and controls

    /// The app's widgets have something new to show; the token is that of widgets.
    public static var widgets: PushPayload {
        PayloadDraft(aps: ["content-changed": .value(true)]).payload(.widgets)
    }

    /// The app's controls have another state (iOS 18); the token is the control's.
    public static var controls: PushPayload {
        PayloadDraft(aps: ["content-changed": .value(true)]).payload(.controls)
    }

    // MARK: Files, devices, passes, websites

    /// Something has changed in a File Provider's container.
    ///
    /// - Parameters:
    ///   - containerIdentifier: What has changed.
    ///   - domain: The domain that it is in.
    /// - Returns: The payload, encoded, for push type `fileprovider`.
    public static func fileProvider(containerIdentifier: String, domain: String) -> PushPayload {
        var draft = PayloadDraft(aps: nil)
        draft.set("container-identifier", containerIdentifier)
        draft.set("domain", domain)
        return draft.payload(.fileprovider)
    }

    /// Calls a managed device to its server. The topic is the subject UID of the MDM certificate.
    ///
    /// - Parameter pushMagic: What the device has told when it was enrolled.
    /// - Returns: The payload, encoded, for push type `mdm`.
    public static func mdm(pushMagic: String) -> PushPayload {
        var draft = PayloadDraft(aps: nil)
        draft.set("mdm", pushMagic)
        return draft.payload(.mdm)
    }

    /// A pass in Wallet has changed: an empty object. The topic is the pass type id, the certificate that of the pass.
    public static var wallet: PushPayload {
        PayloadDraft(aps: nil).payload(.alert)
    }

    /// A website push of old Safari; the topic is the website push id, `web.` and the domain backwards. It can have no keys
    /// of its own.
    ///
    /// - Parameters:
    ///   - title: The first line.
    ///   - body: The text.
    ///   - action: The label of the button.
    ///   - urlArguments: What the placeholders in the website's `urlFormatString` stand for, as many as there are.
    /// - Returns: The payload, encoded, for push type `alert`.
    public static func safari(
        title: String, body: String, action: String? = nil, urlArguments: [String]
    ) -> PushPayload {
        var alert = ["title": EncodedJSON.text(title), "body": .text(body)]
        alert.set("action", action)
        return PayloadDraft(aps: ["alert": .object(alert), "url-args": .texts(urlArguments)]).payload(.alert)
    }
}
