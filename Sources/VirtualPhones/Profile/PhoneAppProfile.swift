/// An app on a virtual phone: what its user allows, and what its developer built.
public struct PhoneAppProfile: Sendable, Hashable {
    /// What the user answered when the app asked for permission.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        case allowed
        /// The app did not ask. Notifications are delivered quietly until the user decides.
        case provisional
        case denied
    }

    /// What the system presents while the app is in the foreground.
    public enum Presentation: String, Sendable, Hashable, CaseIterable {
        case banner
        /// An entry in the notification center.
        case list
        case sound
        case badge
    }

    /// The switches of the app in the settings of the phone.
    public struct Settings: Sendable, Hashable {
        /// Whether alerts are shown.
        public var alerts = true
        /// Whether badges are shown.
        public var badges = true
        /// Whether sounds are played.
        public var sounds = true
        /// Whether time-sensitive notifications break through a Focus.
        public var timeSensitive = true
        /// Whether critical alerts are allowed. It needs an entitlement of Apple.
        public var critical = true

        /// Creates settings that allow everything.
        public init() {}
    }

    /// The bundle id.
    public var topic: String
    /// The name below the icon.
    public var name: String?
    /// The picture on the icon: a word that the inbox page knows.
    public var glyph: String?
    /// The color of the icon: a word that the inbox page knows.
    public var hue: String
    /// The device tokens of the app on this phone. Empty: all tokens that no other phone lists.
    public var tokens: [String] = []
    /// The answer to the request for permission.
    public var permission = Permission.allowed
    /// What the app presents while it is in the foreground.
    public var presents: Set<Presentation> = Set(Presentation.allCases)
    /// The switches in the settings.
    public var settings = Settings()
    /// Whether the user has ended the app in the app switcher.
    public var forceQuit = false
    /// The categories that the app registers, by id.
    public var categories: [PhoneNotificationCategory] = []
    /// The service extension.
    public var serviceExtension: PhoneServiceExtension?
    /// The content extensions.
    public var contentExtensions: [PhoneContentExtension] = []
    /// The texts for `loc-key`, `title-loc-key` and `subtitle-loc-key`.
    public var strings: [String: String] = [:]
    /// The Live Activities, by their attributes type.
    public var liveActivities: [PhoneLiveActivityProfile] = []

    /// Creates an app without extensions, categories and texts.
    public init(topic: String, name: String? = nil, glyph: String? = nil, hue: String = "slate") {
        self.topic = topic
        self.name = name
        self.glyph = glyph
        self.hue = hue
    }

    /// The name, or the bundle id if there is none.
    var shownName: String { name ?? topic }

    func category(_ id: String?) -> PhoneNotificationCategory? {
        id.flatMap { id in categories.first { $0.id == id } }
    }

    func contentExtension(for category: String?) -> PhoneContentExtension? {
        category.flatMap { id in contentExtensions.first { $0.categories.contains(id) } }
    }
}
