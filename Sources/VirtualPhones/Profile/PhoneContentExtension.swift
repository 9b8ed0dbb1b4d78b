/// A notification content extension: a view of the app's own for some categories.
public struct PhoneContentExtension: Sendable, Hashable {
    /// What the extension answers when a button was pressed.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        /// The notification disappears. The app does not get the action.
        case dismiss
        /// The notification disappears, and the app handles the action.
        case dismissAndForward = "dismiss_and_forward"
        /// The notification stays on the screen.
        case keep
    }

    /// The categories that it draws. Letter case matters.
    public var categories: [String]
    /// The custom keys that it shows, in order.
    public var keys: [String]
    /// Whether the ordinary title and body are hidden.
    public var hidesDefault: Bool
    /// The height at the start, in parts of the width.
    public var ratio: Double
    /// The answer to each action, by its id. Others are dismissed and forwarded.
    public var answers: [String: Answer]
    /// The buttons after an action, by its id: like becomes unlike.
    public var replacements: [String: [PhoneNotificationAction]]

    /// Creates an extension.
    public init(
        categories: [String], keys: [String] = [], hidesDefault: Bool = false, ratio: Double = 1,
        answers: [String: Answer] = [:], replacements: [String: [PhoneNotificationAction]] = [:]
    ) {
        self.categories = categories
        self.keys = keys
        self.hidesDefault = hidesDefault
        self.ratio = ratio
        self.answers = answers
        self.replacements = replacements
    }
}

/// How a Live Activity looks: which of its data is the title, the line, the time and the progress.
public struct PhoneLiveActivityProfile: Sendable, Hashable {
    /// A bar: how much is done.
    public struct Progress: Sendable, Hashable {
        /// The key with what is done; `nil` if ``left`` is given.
        public var done: String?
        /// The key with what is left.
        public var left: String?
        /// The key with the whole, or a number.
        public var whole: String

        /// Creates a bar.
        public init(done: String? = nil, left: String? = nil, whole: String) {
            self.done = done
            self.left = left
            self.whole = whole
        }
    }

    /// The value of `attributes-type`.
    public var type: String
    /// The title. `{key}` is replaced by a value of the attributes or the content state.
    public var title: String?
    /// The line below it, in the same form.
    public var line: String?
    /// The key with a time.
    public var time: String?
    /// The bar.
    public var progress: Progress?

    /// Creates a description.
    public init(
        type: String, title: String? = nil, line: String? = nil, time: String? = nil, progress: Progress? = nil
    ) {
        self.type = type
        self.title = title
        self.line = line
        self.time = time
        self.progress = progress
    }
}
