public import PushPlatform

/// What a phone shows at a moment.
public struct PhoneScreen: Sendable, Hashable {
    /// A notification, or a group of them.
    public struct Entry: Sendable, Hashable {
        /// The newest notification of the group.
        public var card: PhoneNotificationCard
        /// The others, newest first; at most 20.
        public var others: [PhoneNotificationCard] = []
        /// The numbers of the others, newest first.
        public var more: [Int] = []
        /// The key of the group: the thread, or the bundle id.
        public var group: String
        /// What is below the card, such as `3 more notifications`.
        public var summary: String?
    }

    /// What the system presented of the last push to the app in the foreground.
    public struct Foreground: Sendable, Hashable {
        /// The bundle id of the app.
        public var topic: String
        /// What was presented; `nil` if no push has arrived since the app was opened.
        public var presented: [PhoneAppProfile.Presentation]?
    }

    /// The id of the phone.
    public var phone: String
    /// The time on the phone.
    public var time: Date
    /// Whether the phone is locked.
    public var isLocked: Bool
    /// The banner at the top of the screen.
    public var banner: Entry?
    /// What arrived since the phone was last unlocked, newest first.
    public var lock: [Entry] = []
    /// What is older, newest first.
    public var center: [Entry] = []
    /// What was delivered quietly with provisional permission, newest first.
    public var quiet: [Entry] = []
    /// The Live Activities, the most relevant first.
    public var activities: [PhoneActivityCard] = []
    /// The badges by bundle id.
    public var badges: [String: Int] = [:]
    /// The push whose notification is expanded.
    public var expanded: Int?
    /// The app in the foreground.
    public var foreground: Foreground?

    /// All entries, wherever they are.
    public var entries: [Entry] { lock + center + quiet }

    /// The card of a push on the screen; `nil` if it is not there.
    public func card(of push: Int) -> PhoneNotificationCard? {
        entries.lazy.flatMap { [$0.card] + $0.others }.first { $0.push == push }
    }
}

/// A Live Activity as the user sees it.
public struct PhoneActivityCard: Sendable, Hashable {
    /// A bar: how much is done.
    public struct Progress: Sendable, Hashable {
        /// What is done.
        public var done: Double
        /// The whole.
        public var whole: Double
    }

    /// The newest push about it.
    public var push: Int
    /// The bundle id.
    public var topic: String
    /// The name of the app.
    public var app: String?
    /// The id: the shortened device token and a number.
    public var id: String
    /// The attributes type; `nil` if the app started it by itself.
    public var type: String?
    /// The title, if the profile maps it.
    public var title: String?
    /// The line, if the profile maps it.
    public var line: String?
    /// The time, if the profile maps it.
    public var time: String?
    /// The bar, if the profile maps it.
    public var progress: Progress?
    /// The content state and the attributes as keys and values.
    public var fields: [PhoneNotificationCard.Content.Field]
    /// Whether its data is older than its `stale-date`.
    public var isStale: Bool
    /// Whether it has ended.
    public var isEnded: Bool
    /// When its data becomes stale.
    public var staleDate: Date?
    /// When it leaves the screen.
    public var dismissal: Date?
    /// The broadcast channel that it listens to.
    public var channel: String?
    /// Whether the profile says how it looks.
    public var isMapped: Bool
}

/// The outcome of one push, and its history.
public struct PushRecord: Sendable, Hashable {
    /// The id of the phone; `nil` if it reached none.
    public var phone: String?
    /// Its outcome.
    public var outcome: PhoneOutcome
    /// What happened, in order. Empty for old pushes, of which only the outcome is kept.
    public var timeline: [PhoneStage] = []
    /// What the user sees or saw; `nil` if there was nothing to see.
    public var card: PhoneNotificationCard?
}
