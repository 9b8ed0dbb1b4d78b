import APNSVocabulary
import MockAPNs
import PushPlatform

/// An app on a phone, with what changes while it is used.
struct PhoneApp: Sendable {
    /// What is known of the app.
    var profile: PhoneAppProfile
    var permission: PhoneAppProfile.Permission
    var presents: Set<PhoneAppProfile.Presentation>
    var forceQuit: Bool
    /// Whether it runs, in the foreground or the background.
    var isRunning = false
    var badge: Int?
    /// The device tokens for which a push has arrived, or that the profile lists.
    var tokens: [String] = []
    /// The newest background push that the app has not got, because the user has ended it.
    var held: PhonePush?
    /// When background pushes woke it, in the last hour.
    var wakes: [Date] = []
    /// When a push tried to start a Live Activity, as far back as the rules of the phone count.
    var starts: [Date] = []

    var shownBadge: Int? { permission == .denied || !profile.settings.badges ? nil : badge }

    init(_ profile: PhoneAppProfile) {
        self.profile = profile
        permission = profile.permission
        presents = profile.presents
        forceQuit = profile.forceQuit
        tokens = profile.tokens
    }

    /// Applies a new profile. Badge and tokens stay.
    mutating func apply(_ profile: PhoneAppProfile) {
        let others = tokens.filter { !self.profile.tokens.contains($0) && !profile.tokens.contains($0) }
        self.profile = profile
        permission = profile.permission
        presents = profile.presents
        forceQuit = profile.forceQuit
        tokens = profile.tokens + others
    }
}

struct DeliveredNotification: Sendable {
    enum List: Sendable {
        /// Arrived since the phone was last unlocked.
        case lock
        case center
        /// Provisional permission: only in Notification Center.
        case quiet
    }

    /// What does not move. A class, so that a long list is cheap to change.
    private final class Content: Sendable {
        let card: PhoneNotificationCard
        let identifier: String?
        let summaryArgument: String?
        let summaryCount: Int

        init(card: PhoneNotificationCard, identifier: String?, summaryArgument: String?, summaryCount: Int) {
            self.card = card
            self.identifier = identifier
            self.summaryArgument = summaryArgument
            self.summaryCount = summaryCount
        }
    }

    private var content: Content
    var list: List

    init(
        _ card: PhoneNotificationCard, identifier: String?, list: List, summaryArgument: String? = nil,
        summaryCount: Int = 1
    ) {
        content = Content(
            card: card, identifier: identifier, summaryArgument: summaryArgument, summaryCount: summaryCount)
        self.list = list
    }

    var push: Int { content.card.push }
    var topic: String { content.card.topic }
    var group: String { content.card.group }
    /// The collapse id.
    var identifier: String? { content.identifier }
    var summaryArgument: String? { content.summaryArgument }
    var summaryCount: Int { content.summaryCount }

    var card: PhoneNotificationCard {
        get { content.card }
        set {
            content = Content(
                card: newValue, identifier: content.identifier, summaryArgument: content.summaryArgument,
                summaryCount: content.summaryCount)
        }
    }
}

/// A push that APNs keeps while the phone is offline.
struct StoredPush: Sendable {
    var push: PhonePush
    let since: Date
    /// When APNs throws it away.
    let until: Date

    /// APNs keeps one push for each of these.
    var slot: String {
        let topic = "\(push.topic)\(push.type.topicSuffix ?? "")"
        // Devices of the mock that are offline are devices of their own, also where one phone has all tokens.
        return switch push.target {
        case .device(let token): push.delivery == .stored ? "\(topic) \(token)" : topic
        case .channel(let channel): "channel \(channel)"
        }
    }
}

/// A phone as the API describes it: its switches and its apps.
public struct PhoneState: Sendable, Hashable {
    /// An app on the phone.
    public struct App: Sendable, Hashable {
        /// What is known of the app.
        public var profile: PhoneAppProfile
        /// Whether its notifications are allowed.
        public var permission: PhoneAppProfile.Permission
        /// What it presents while it is in the foreground.
        public var presents: Set<PhoneAppProfile.Presentation>
        /// Whether it runs.
        public var isRunning: Bool
        /// Whether the user has ended it.
        public var isForceQuit: Bool
        /// The badge.
        public var badge: Int?
        /// The device tokens.
        public var tokens: [String]
    }

    /// The profile.
    public var profile: PhoneProfile
    /// The switches.
    public var switches: PhoneSwitches
    /// The apps, sorted by bundle id; those of the profile come first, in its order.
    public var apps: [App]
}

extension VirtualPhone {
    /// The switches and the apps.
    var state: PhoneState {
        let described = profile.apps.map(\.topic)
        let others = apps.keys.filter { !described.contains($0) }.sorted()
        return PhoneState(
            profile: profile, switches: switches,
            apps: (described + others).compactMap { topic in
                apps[topic].map { app in
                    PhoneState.App(
                        profile: app.profile, permission: app.permission, presents: app.presents,
                        isRunning: app.isRunning, isForceQuit: app.forceQuit, badge: app.shownBadge,
                        tokens: app.tokens)
                }
            })
    }
}
