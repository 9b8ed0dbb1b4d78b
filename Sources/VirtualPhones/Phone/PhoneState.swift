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
                        isRunning: app.isRunning, isForceQuit: app.forceQuit, badge: app.badge, tokens: app.tokens)
                }
            })
    }
}
