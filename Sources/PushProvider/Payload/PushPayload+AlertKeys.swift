public import PushJSON

extension PushPayload {
    /// An alert, a badge or a sound, with every key that Apple documents for it.
    ///
    /// A property that is `nil` is not sent, so the device keeps its own value. Source: Apple, "Generating a remote
    /// notification".
    public struct Alert: Sendable, Hashable {
        /// The title: the first line.
        public var title: PushPayload.Text?
        /// The subtitle: the second line.
        public var subtitle: PushPayload.Text?
        /// The text.
        public var body: PushPayload.Text?
        /// The name of a launch screen file in the app, shown when the user opens the app from this notification.
        public var launchImage: String?
        /// The sender or subject for the summary of a group (iOS 12 to 14).
        public var summaryArgument: String?
        /// The number that the notification adds to the summary of a group (iOS 12 to 14); 1 or more.
        public var summaryCount: Int?

        /// The number on the app's icon; 0 removes it.
        public var badge: Int?
        /// The sound.
        public var sound: PushPayload.Sound?
        /// The id of a group. The device groups notifications with the same id.
        public var threadID: String?
        /// A category that the app has registered; it has actions and an interface.
        public var category: String?
        /// Whether the device also wakes the app in the background.
        public var contentAvailable = false
        /// Whether the app's service extension may change the notification before it is shown.
        public var mutableContent = false
        /// The id of the app window that is brought to the front.
        public var targetContentID: String?
        /// How much the notification may interrupt the user.
        public var interruptionLevel: PushPayload.InterruptionLevel?
        /// The weight in the summary among the app's notifications, from 0 to 1.
        public var relevanceScore: Double?
        /// The value that the app's Focus filter checks.
        public var filterCriteria: String?
        /// Keys of `aps` that this version of the library does not know. The properties above have priority over them.
        public var otherKeys: [String: PushJSONValue] = [:]

        /// Creates an empty alert.
        public init() {}

        /// Creates an alert with texts. Set the other properties afterwards.
        ///
        /// - Parameters:
        ///   - title: The title: the first line.
        ///   - subtitle: The subtitle: the second line.
        ///   - body: The text.
        ///   - badge: The number on the app's icon; 0 removes it.
        ///   - sound: The sound.
        public init(
            title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil,
            sound: PushPayload.Sound? = nil
        ) {
            self.title = title.map(PushPayload.Text.plain)
            self.subtitle = subtitle.map(PushPayload.Text.plain)
            self.body = body.map(PushPayload.Text.plain)
            self.badge = badge
            self.sound = sound
        }

        /// Creates an alert with texts that the app localizes: `title: .localized("ORDER_TITLE", arguments: ["42"])`.
        ///
        /// - Parameters:
        ///   - title: The title: the first line.
        ///   - subtitle: The subtitle: the second line.
        ///   - body: The text.
        ///   - badge: The number on the app's icon; 0 removes it.
        ///   - sound: The sound.
        public init(
            title: PushPayload.Text?, subtitle: PushPayload.Text? = nil, body: PushPayload.Text? = nil,
            badge: Int? = nil, sound: PushPayload.Sound? = nil
        ) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
            self.badge = badge
            self.sound = sound
        }

        /// Creates an alert that has only a body.
        ///
        /// - Parameters:
        ///   - body: The text.
        ///   - badge: The number on the app's icon; 0 removes it.
        ///   - sound: The sound.
        public init(body: PushPayload.Text?, badge: Int? = nil, sound: PushPayload.Sound? = nil) {
            self.init(title: nil as PushPayload.Text?, body: body, badge: badge, sound: sound)
        }
    }
}

extension PushPayload.Alert {
    /// Whether the alert has a text. Without a text, no service extension runs.
    var isVisible: Bool { title != nil || subtitle != nil || body != nil }

    func aps() throws(PushPayloadError) -> [String: EncodedJSON] {
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

    private func alertKeys() throws(PushPayloadError) -> [String: EncodedJSON] {
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
    /// Sets a text if it is not `nil`.
    mutating func set(_ name: String, _ text: String?) {
        if let text { self[name] = .text(text) }
    }
}

extension [String: PushJSONValue] {
    /// Returns the values, or throws if JSON cannot represent a number in them.
    func checkedTrees(in path: String) throws(PushPayloadError) -> [String: EncodedJSON] {
        for (name, value) in self where !value.isFinite { throw .notFinite("\(path).\(name)") }
        return mapValues(EncodedJSON.value)
    }
}

extension PushPayload {
    /// A text of an alert: the text itself, or a key that the app localizes.
    ///
    /// A string literal is the text itself: `title: "Order 42"`.
    public enum Text: Sendable, Hashable, ExpressibleByStringInterpolation {
        case plain(String)
        /// A key of the app's `Localizable` table, and the values for its placeholders (`%@`, `%1$@`).
        case localized(String, arguments: [String] = [])

        /// Creates a text that is not localized.
        ///
        /// - Parameter value: The text.
        public init(stringLiteral value: String) { self = .plain(value) }
    }
}

extension PushPayload.Text {
    /// Writes the text into the object `alert`.
    ///
    /// - Parameters:
    ///   - alert: The object.
    ///   - name: The key for a plain text.
    ///   - prefix: The prefix of `loc-key` and `loc-args`: empty for the body, `title-` for the title.
    func write(to alert: inout [String: EncodedJSON], as name: String, prefix: String) {
        switch self {
        case .plain(let text): alert[name] = .text(text)
        case .localized(let key, let arguments):
            alert["\(prefix)loc-key"] = .text(key)
            if !arguments.isEmpty { alert["\(prefix)loc-args"] = .texts(arguments) }
        }
    }

    /// The JSON for Live Activities: the text, or an object with the key and the arguments.
    var tree: EncodedJSON {
        switch self {
        case .plain(let text): return .text(text)
        case .localized(let key, let arguments):
            var members = ["loc-key": EncodedJSON.text(key)]
            if !arguments.isEmpty { members["loc-args"] = .texts(arguments) }
            return .object(members)
        }
    }
}
