/// What a virtual phone has: its name, its apps, and how its switches are at the start.
///
/// `docs/phones.md` describes the file format.
public struct PhoneProfile: Sendable, Hashable {
    /// The id of the phone in the API: letters, digits, hyphens and underscores.
    public var id: String
    /// The name that people see.
    public var name: String
    /// The system and its version, such as `iOS 26.1`. Live Activities by push need iOS 17.2, and channels need iOS 18.
    public var os: String
    /// A note for people, in a few words.
    public var note: String?
    /// What the system allows Live Activities.
    public var activities = ActivityRules()
    /// The switches at the start.
    public var switches: PhoneSwitches
    /// The apps that the profile describes. Further apps appear when a push arrives for them.
    public var apps: [PhoneAppProfile]
    /// Whether the profile was given, and is not the default. `false` for the phone that exists without a profile.
    public var isGiven: Bool

    /// Creates a profile.
    public init(
        id: String, name: String? = nil, os: String = "iOS 26.1", note: String? = nil,
        switches: PhoneSwitches = PhoneSwitches(), apps: [PhoneAppProfile] = [], isGiven: Bool = true
    ) {
        self.id = id
        self.name = name ?? id
        self.os = os
        self.note = note
        self.switches = switches
        self.apps = apps
        self.isGiven = isGiven
    }

    /// The phone that exists without any profile.
    public static let plain = PhoneProfile(id: "phone", name: "iPhone", isGiven: false)

    /// Whether the system is at least this version. `true` if the version is unknown.
    func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        let version = os.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        let parts = version.split(separator: ".").compactMap { Int($0) }
        guard let first = parts.first else { return true }
        return (first, parts.count > 1 ? parts[1] : 0) >= (major, minor)
    }
}

extension PhoneProfile {
    /// What the system allows Live Activities. Apple documents only the longest time; the rest was observed or said by its engineers.
    public struct ActivityRules: Sendable, Hashable {
        /// How many starts by push an app may try within ``startTime``; `nil` for any number. About 10 were observed, and tries beyond
        /// them count too.
        public var starts: Int? = 10
        /// The time in which ``starts`` are counted. It is not known; the default is an hour.
        public var startTime = Duration.seconds(3600)
        /// How long the system waits after an update before it shows another; `nil` for no time. Engineers of Apple name 15 seconds.
        public var updatePause: Duration?
        /// Whether an app gets the token for updates of an activity that a push has started only after the person has tapped Allow.
        /// Several senders report that.
        public var needsAllow = false
        /// How long an app has the same token for updates of an activity; `nil` for ever. Apple says that it can change at any time.
        public var tokenTime: Duration?
        /// How long an activity can be active. Apple: 8 hours.
        public var activeTime = Duration.seconds(8 * 3600)

        /// Creates the default rules.
        public init() {}
    }
}

/// The switches of a phone.
public struct PhoneSwitches: Sendable, Hashable {
    /// Whether the phone is connected to the network. If not, APNs stores one notification for each app.
    public var online: Bool
    /// Whether the ring switch is set to silent. Only critical alerts have a sound then.
    public var muted: Bool
    /// The name of the Focus that is on, such as `Work`; `nil` for none.
    public var focus: String?
    /// Whether the phone is locked.
    public var locked: Bool
    /// The bundle id of the app in the foreground; `nil` for the home screen.
    public var foreground: String?
    /// Whether APNs stores several notifications for each app while the phone is offline. Apple's pages disagree.
    public var storesSeveral = false

    /// Creates switches. By default, the phone is online, locked, and not muted.
    public init(
        online: Bool = true, muted: Bool = false, focus: String? = nil, locked: Bool = true, foreground: String? = nil
    ) {
        self.online = online
        self.muted = muted
        self.focus = focus
        self.locked = locked
        self.foreground = foreground
    }
}
