public import PushJSON

/// Something that the person sees or hears, with every key that Apple documents for it.
///
/// Whatever is `nil` is left out, so that the device keeps its own. Source: Apple, "Generating a remote notification".
public struct PushAlert: Sendable, Hashable {
    /// The first line.
    public var title: PushText?
    /// The second line.
    public var subtitle: PushText?
    /// The text.
    public var body: PushText?
    /// The launch screen that is shown when the person opens the app by this notification: the name of a file in the app.
    public var launchImage: String?
    /// Who or what it is from, for the summary of a group (iOS 12 to 14).
    public var summaryArgument: String?
    /// For how many it stands in the summary of a group (iOS 12 to 14); 1 or more.
    public var summaryCount: Int?

    /// The number on the app's icon; 0 removes it.
    public var badge: Int?
    /// What it sounds like.
    public var sound: PushSound?
    /// Notifications with the same one are grouped.
    public var threadID: String?
    /// A category that the app has registered: its actions and its interface.
    public var category: String?
    /// The app is woken besides.
    public var contentAvailable = false
    /// The app's service extension may change the notification before it is shown.
    public var mutableContent = false
    /// The window of the app that is brought forward.
    public var targetContentID: String?
    /// How far it may interrupt.
    public var interruptionLevel: InterruptionLevel?
    /// Its weight among the app's others in the summary, from 0 to 1.
    public var relevanceScore: Double?
    /// What the app's Focus filter decides by.
    public var filterCriteria: String?
    /// Keys of `aps` that this version of the library does not know. What is said above goes before.
    public var otherKeys: [String: JSONValue] = [:]

    /// Nothing yet.
    public init() {}

    /// Says something; the rest is set afterwards.
    ///
    /// - Parameters:
    ///   - title: The first line.
    ///   - subtitle: The second line.
    ///   - body: The text.
    ///   - badge: The number on the app's icon; 0 removes it.
    ///   - sound: What it sounds like.
    public init(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: PushSound? = nil
    ) {
        self.title = title.map(PushText.plain)
        self.subtitle = subtitle.map(PushText.plain)
        self.body = body.map(PushText.plain)
        self.badge = badge
        self.sound = sound
    }

    /// The same with lines that the app has in each language: `title: .localized("ORDER_TITLE", arguments: ["42"])`.
    ///
    /// - Parameters:
    ///   - title: The first line.
    ///   - subtitle: The second line.
    ///   - body: The text.
    ///   - badge: The number on the app's icon; 0 removes it.
    ///   - sound: What it sounds like.
    public init(
        title: PushText?, subtitle: PushText? = nil, body: PushText? = nil, badge: Int? = nil, sound: PushSound? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.badge = badge
        self.sound = sound
    }

    /// The same with a body alone.
    ///
    /// - Parameters:
    ///   - body: The text.
    ///   - badge: The number on the app's icon; 0 removes it.
    ///   - sound: What it sounds like.
    public init(body: PushText?, badge: Int? = nil, sound: PushSound? = nil) {
        self.init(title: nil as PushText?, body: body, badge: badge, sound: sound)
    }
}

extension PushAlert {
    /// Whether there is a line to be seen, without which no service extension runs.
    var isVisible: Bool { title != nil || subtitle != nil || body != nil }

    /// The value of `aps`.
    func aps() throws(PayloadError) -> [String: EncodedJSON] {
        var aps = try otherKeys.checkedTrees(in: "aps")
        let alert = try alertKeys()
        if !alert.isEmpty { aps["alert"] = .object(alert) }
        if let badge {
            guard badge >= 0 else { throw .negative("aps.badge") }
            aps["badge"] = .integer(badge)
        }
        if let sound { aps["sound"] = try sound.tree() }
        aps.set("thread-id", threadID)
        aps.set("category", category)
        if contentAvailable { aps["content-available"] = .integer(1) }
        if mutableContent { aps["mutable-content"] = .integer(1) }
        aps.set("target-content-id", targetContentID)
        aps.set("interruption-level", interruptionLevel?.rawValue)
        if let relevanceScore {
            guard (0...1).contains(relevanceScore) else { throw .notBetween0And1("aps.relevance-score") }
            aps["relevance-score"] = .value(.number(relevanceScore))
        }
        aps.set("filter-criteria", filterCriteria)
        return aps
    }

    private func alertKeys() throws(PayloadError) -> [String: EncodedJSON] {
        var alert: [String: EncodedJSON] = [:]
        title?.write(to: &alert, as: "title", prefix: "title-")
        subtitle?.write(to: &alert, as: "subtitle", prefix: "subtitle-")
        body?.write(to: &alert, as: "body", prefix: "")
        alert.set("launch-image", launchImage)
        alert.set("summary-arg", summaryArgument)
        if let summaryCount {
            guard summaryCount > 0 else { throw .notPositive("aps.alert.summary-arg-count") }
            alert["summary-arg-count"] = .integer(summaryCount)
        }
        return alert
    }
}

extension [String: EncodedJSON] {
    /// Sets a text, where there is one.
    mutating func set(_ name: String, _ text: String?) {
        if let text { self[name] = .text(text) }
    }
}

extension [String: JSONValue] {
    /// The values, each of whose numbers has a form in JSON.
    func checkedTrees(in place: String) throws(PayloadError) -> [String: EncodedJSON] {
        for (name, value) in self where !value.isFinite { throw .notFinite("\(place).\(name)") }
        return mapValues(EncodedJSON.value)
    }
}
