/// Where a notification appears, how loud it is, and why.
struct AlertPresentation: Sendable, Equatable {
    /// The list that it is added to; `nil` for none.
    private(set) var list: DeliveredNotification.List?
    private(set) var hasBanner = false
    private(set) var hasSound = false
    private(set) var setsBadge = true
    private(set) var kind = PhoneOutcome.Kind.shown
    private(set) var text = "Shown"
    private(set) var why: String?
    /// The level after the user's settings.
    private(set) var level: PhoneNotificationLevel

    /// Decides how a notification is presented.
    ///
    /// - Parameters:
    ///   - content: The notification.
    ///   - app: The app.
    ///   - switches: The switches of the phone.
    init(of content: PushContent, _ app: PhoneApp, _ switches: PhoneSwitches) {
        let settings = app.profile.settings
        level = content.level
        if level == .critical, !settings.critical {
            level = .active
            why = "Critical alerts aren't allowed for the app"
        }
        if level == .timeSensitive, !settings.timeSensitive {
            level = .active
            why = "Time-sensitive notifications are off for the app"
        }
        setsBadge = settings.badges
        if switches.foreground == app.profile.topic, !switches.locked {
            presentInForeground(app)
        } else {
            present(app, switches)
        }
        let isAudible = content.sound != nil && settings.sounds && (level == .critical || !switches.muted)
        let wantedSound = hasSound
        hasSound = hasSound && isAudible
        guard wantedSound, content.sound != nil, kind == .shown else { return }
        explainSound(content, switches)
    }

    private mutating func presentInForeground(_ app: PhoneApp) {
        var presents = app.presents
        // The user's settings come first.
        if !app.profile.settings.alerts { presents.subtract([.banner, .list]) }
        hasBanner = presents.contains(.banner)
        list = presents.contains(.list) ? .center : nil
        hasSound = presents.contains(.sound)
        setsBadge = setsBadge && presents.contains(.badge)
        let names = PhoneAppProfile.Presentation.allCases.filter(presents.contains).map(\.rawValue).joined(
            separator: ", ")
        if hasBanner || list != nil {
            why = "The app is open and presents \(names)"
        } else if presents != app.presents {
            hideAlert()
        } else {
            kind = .hidden
            text = "Not shown: app open"
            why = "The app is open and presents \(names.isEmpty ? "nothing" : "only \(names)")"
        }
    }

    private mutating func present(_ app: PhoneApp, _ switches: PhoneSwitches) {
        if app.permission == .provisional {
            beQuiet(.quiet, "Quiet: provisional", "Provisional permission: only in Notification Center")
        } else if !app.profile.settings.alerts {
            hideAlert()
            hasSound = true
        } else if level == .passive {
            beQuiet(.center, "Quiet: passive", "Passive: no light and no sound")
        } else if let focus = switches.focus, level == .active {
            beQuiet(
                .center, "Quiet: Focus", "The Focus “\(focus)” allows only time-sensitive and critical notifications")
        } else {
            list = switches.locked ? .lock : .center
            hasBanner = !switches.locked
            hasSound = true
            // The levels below don't come here with a Focus.
            let name = level == .critical ? "Critical" : "Time-sensitive"
            if let focus = switches.focus { why = "\(name): breaks through the Focus “\(focus)”" }
        }
    }

    private mutating func hideAlert() {
        kind = .hidden
        text = "Not shown: alerts are off"
        why = "The user has turned off the app's alerts"
    }

    private mutating func beQuiet(_ list: DeliveredNotification.List, _ text: String, _ why: String) {
        self.list = list
        self.text = text
        self.why = why
        kind = .quiet
    }

    private mutating func explainSound(_ content: PushContent, _ switches: PhoneSwitches) {
        guard switches.muted else {
            if level == .timeSensitive, why == nil { why = "Time-sensitive: would break through a Focus" }
            return
        }
        if level == .critical {
            why = "Sound at \(content.sound?.volume ?? 1), although the phone is muted"
        } else if why == nil {
            why = "No sound: the phone is muted"
        }
    }
}
