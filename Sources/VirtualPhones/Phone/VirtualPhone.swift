import PushPlatform

/// One phone: its apps, and what it shows. Every event is a method that returns what it means for pushes.
///
/// An extension has the events of each kind.
struct VirtualPhone: Sendable {
    /// The maximum number of notifications on the screen. Beyond it, the oldest is forgotten.
    static let maximumDelivered = 200
    /// The maximum number of Live Activities. Beyond it, the oldest is forgotten.
    static let maximumActivities = 50
    /// The maximum number of device tokens of Live Activities that have left the screen. Beyond it, the oldest is forgotten.
    static let maximumEndedTokens = 1000
    /// How long a banner stays, in seconds.
    static let bannerTime = 6.0

    private(set) var profile: PhoneProfile
    let opener: PhoneEnvelopeOpener?
    var switches: PhoneSwitches
    /// By bundle id.
    var apps: [String: PhoneApp] = [:]
    /// Oldest first.
    var delivered: [DeliveredNotification] = []
    /// Oldest first.
    var activities: [LiveActivity] = []
    /// What APNs keeps while the phone is offline, oldest first.
    var stored: [StoredPush] = []
    /// The notification at the top of the screen, and until when. An app that is open can present it there alone.
    var banner: (shown: DeliveredNotification, until: Date)?
    /// The push whose notification is expanded.
    var expanded: Int?
    /// What the app in the foreground presented last.
    var presented: [PhoneAppProfile.Presentation]?
    /// Topic and device token of Live Activities that have left the screen, oldest first. Their updates show nothing more.
    var endedTokens: [[String]] = []
    /// How many Live Activities were started, for their ids.
    var activityCount = 0

    init(_ profile: PhoneProfile, opener: PhoneEnvelopeOpener?) {
        (self.profile, self.opener) = (profile, opener)
        switches = profile.switches
        for app in profile.apps { apps[app.topic] = PhoneApp(app) }
        if let topic = switches.foreground {
            apps[topic, default: PhoneApp(PhoneAppProfile(topic: topic))].isRunning = true
        }
    }

    /// Replaces the profile. What the phone shows stays.
    mutating func apply(_ profile: PhoneProfile, at now: Date) -> [PushReport] {
        for app in self.profile.apps where !profile.apps.contains(where: { $0.topic == app.topic }) {
            apps[app.topic]?.apply(PhoneAppProfile(topic: app.topic))
        }
        self.profile = profile
        for app in profile.apps {
            if apps[app.topic] == nil { apps[app.topic] = PhoneApp(app) } else { apps[app.topic]?.apply(app) }
        }
        return flip(to: profile.switches, at: now)
    }

    /// The app with this bundle id. It is created for the first push.
    func app(_ topic: String) -> PhoneApp { apps[topic] ?? PhoneApp(PhoneAppProfile(topic: topic)) }

    // MARK: Switches

    /// Sets the switches.
    ///
    /// - Returns: What it means for pushes: those that APNs has stored are delivered when the phone is online again.
    mutating func flip(to new: PhoneSwitches, at now: Date) -> [PushReport] {
        let old = switches
        switches = new
        if new.locked, !old.locked {
            switches.foreground = nil
            expanded = nil
        }
        var reports: [PushReport] = []
        if let topic = switches.foreground, topic != old.foreground {
            switches.locked = false
            reports += open(topic, at: now)
        }
        if switches.foreground != old.foreground { presented = nil }
        if old.locked, !switches.locked { unlock() }
        if switches.locked { banner = nil }
        if new.online, !old.online { reports += deliverStored(at: now) }
        return reports
    }

    /// Unlocks the phone: the notifications on the lock screen move to the notification center.
    mutating func unlock() {
        switches.locked = false
        for index in delivered.indices where delivered[index].list == .lock { delivered[index].list = .center }
    }

    /// Brings an app to the foreground.
    ///
    /// - Returns: The background push that it gets now, because it could not get it before.
    mutating func open(_ topic: String, at now: Date) -> [PushReport] {
        if switches.locked { unlock() }
        if switches.foreground != topic { presented = nil }
        switches.foreground = topic
        // An app without any push or profile is not on the phone yet. Its first push puts it there.
        guard var app = apps[topic] else { return [] }
        app.isRunning = true
        app.forceQuit = false
        let held = app.held
        app.held = nil
        apps[topic] = app
        return held.map {
            [
                PushReport(
                    of: $0.number, at: now, .woke, "The app got it at its launch",
                    outcome: PhoneOutcome(.woke, "Got at launch", why: "The app had been force-quit"))
            ]
        } ?? []
    }

    mutating func change(_ topic: String, at now: Date, _ body: (inout PhoneApp) -> Void) -> [PushReport] {
        guard var app = apps[topic] else { return [] }
        let before = app
        body(&app)
        if app.forceQuit { app.isRunning = false }
        if app.isRunning != before.isRunning, !app.isRunning, switches.foreground == topic {
            switches.foreground = nil
            presented = nil
        }
        apps[topic] = app
        return app.permission == .denied && before.permission != .denied
            ? remove(delivered.filter { $0.topic == topic }.map(\.push), "Permission was denied", at: now) : []
    }

    // MARK: Removing

    /// Removes notifications from the screen.
    ///
    /// - Parameters:
    ///   - pushes: Their numbers.
    ///   - why: Why, for the timeline.
    ///   - now: The time.
    /// - Returns: What it means for them.
    mutating func remove(_ pushes: [Int], _ why: String, at now: Date) -> [PushReport] {
        takeAway(pushes)
        return pushes.map {
            PushReport(of: $0, at: now, .removed, why, outcome: PhoneOutcome(.removed, "Removed", why: why))
        }
    }

    /// Removes notifications from the screen without a report.
    mutating func takeAway(_ pushes: [Int]) {
        guard !pushes.isEmpty else { return }
        let gone = Set(pushes)
        delivered.removeAll { gone.contains($0.push) }
        forget(gone)
    }

    /// What it means for a push that the mock keeps only the newest ones.
    static func forgotten(_ push: Int, keeping maximum: Int, _ what: String, at now: Date) -> PushReport {
        let why = "The mock keeps the newest \(maximum) \(what) of a phone. A real phone would keep this one"
        return PushReport(
            of: push, at: now, .forgotten, why, outcome: PhoneOutcome(.forgotten, "Shown, then forgotten", why: why))
    }

    /// Closes the banner and the expanded notification if they no longer exist.
    mutating func forget(_ gone: Set<Int>) {
        if let banner, gone.contains(banner.shown.push) { self.banner = nil }
        if let expanded, gone.contains(expanded) { self.expanded = nil }
    }

    /// Removes an app without a profile, because its last device token was removed.
    mutating func forgetApp(_ topic: String) {
        guard !profile.apps.contains(where: { $0.topic == topic }), switches.foreground != topic else { return }
        apps[topic] = nil
        if banner?.shown.topic == topic { banner = nil }
        takeAway(delivered.filter { $0.topic == topic }.map(\.push))
        stored.removeAll { $0.push.topic == topic }
    }
}
