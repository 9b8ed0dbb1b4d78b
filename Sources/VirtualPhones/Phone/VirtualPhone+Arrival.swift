import APNSVocabulary
import MockAPNs
import PushPlatform

extension VirtualPhone {
    /// The maximum number of pushes that are kept while a phone is offline. Beyond it, the oldest is forgotten.
    private static let mostStored = 1000
    /// How long APNs keeps a push without an expiration, in seconds.
    private static let longestStorage = 30 * 86_400.0

    /// Takes a push that APNs accepted.
    ///
    /// - Parameters:
    ///   - push: The push.
    ///   - story: What happened to it until now.
    ///   - opener: Opens sealed payloads.
    /// - Returns: What it means for this push and for others.
    mutating func take(_ push: PhonePush, _ story: PushStory, opener: EnvelopeOpener?) -> [PushStory] {
        if apps[push.topic] == nil { apps[push.topic] = PhoneApp(AppProfile(topic: push.topic)) }
        if push.delivery == .discarded {
            var story = story
            let why = "The device is offline and the push must not be stored, or notifications are off for it"
            story.add(.discarded, "APNs discards it", note: why)
            story.outcome = PhoneOutcome(.hidden, "Not shown: discarded", why: "\(why). APNs still answers 200")
            return [story]
        }
        if push.type == .alert, app(push.topic).permission == .denied {
            var story = story
            story.add(
                .discarded, "Permission denied for \(app(push.topic).profile.shownName)",
                note: "APNs answers 200, and discards it")
            story.outcome = PhoneOutcome(
                .hidden, "Not shown: denied", why: "Permission denied; APNs still answers 200")
            return [story]
        }
        return switches.online && push.delivery != .stored
            ? deliver(push, story, opener: opener) : store(push, story)
    }

    // MARK: Offline

    /// Keeps a push until the phone is online again.
    private mutating func store(_ push: PhonePush, _ story: PushStory) -> [PushStory] {
        var story = story
        let who = push.delivery == .stored ? "The device" : profile.name
        let longest = story.now.addingTimeInterval(Self.longestStorage)
        let until: Date
        switch push.expiration {
        case .once:
            return [expired(story, "apns-expiration is 0, and \(who) is offline")]
        case .until(let time) where time <= story.now:
            return [expired(story, "apns-expiration has passed, and \(who) is offline")]
        case .until(let time): until = min(time, longest)
        case .unspecified: until = longest
        }
        var stories: [PushStory] = []
        let new = StoredPush(push: push, since: story.now, until: until)
        if let index = stored.firstIndex(where: { $0.slot == new.slot }) {
            let old = stored.remove(at: index)
            stories.append(Self.displaced(old, by: push, at: story.now))
        }
        if stored.count >= Self.mostStored {
            let oldest = stored.removeFirst()
            stories.append(Self.forgotten(oldest, at: story.now))
        }
        stored.append(new)
        story.add(.stored, "\(who) is offline", note: "APNs keeps one for each app and phone")
        story.outcome = PhoneOutcome(
            .stored, "Stored: offline", why: "\(who) is offline; APNs keeps one for each app")
        return stories + [story]
    }

    private static func forgotten(_ old: StoredPush, at now: Date) -> PushStory {
        let why = "The mock keeps at most \(mostStored) pushes for a phone that is offline"
        return PushStory(
            of: old.push.number, at: now, .discarded, "Forgotten", note: why,
            outcome: PhoneOutcome(.hidden, "Not shown: forgotten", why: why))
    }

    private func expired(_ story: PushStory, _ why: String) -> PushStory {
        var story = story
        story.add(.expired, "Not kept", note: why)
        story.outcome = PhoneOutcome(.hidden, "Not shown: expired", why: why)
        return story
    }

    /// A stored push that a newer one of the same app has displaced.
    private static func displaced(_ old: StoredPush, by push: PhonePush, at now: Date) -> PushStory {
        let isSame = old.push.collapseID != nil && old.push.collapseID == push.collapseID
        let why =
            isSame
            ? "Same collapse id, while stored" : "APNs keeps only the newest of each app while a phone is offline"
        return PushStory(
            of: old.push.number, at: now, .discarded, "\(push.number) replaced it", note: why,
            outcome: PhoneOutcome(.replaced, "Replaced by \(push.number)", why: why, replacedBy: push.number))
    }

    /// A device of the mock is online again: what was stored for it is delivered, if the phone is online, too.
    mutating func deviceIsOnline(_ token: String, at now: Date, opener: EnvelopeOpener?) -> [PushStory] {
        for index in stored.indices where stored[index].push.target == .device(token) {
            stored[index].push.delivery = .delivered
        }
        return switches.online ? deliverStored(at: now, opener: opener) : []
    }

    /// Delivers what APNs has stored, because the phone is online again. What waits for a device of the mock stays.
    mutating func deliverStored(at now: Date, opener: EnvelopeOpener?) -> [PushStory] {
        let waiting = stored.filter { $0.push.delivery != .stored }
        stored.removeAll { $0.push.delivery != .stored }
        var stories: [PushStory] = []
        for entry in waiting {
            let story = PushStory(of: entry.push.number, at: now)
            if entry.until <= now {
                stories.append(expired(story, "It expired before \(profile.name) was online again"))
            } else {
                stories += deliver(entry.push, story, opener: opener)
            }
        }
        return stories
    }

    // MARK: Online

    /// Gives a push to its target.
    private mutating func deliver(_ push: PhonePush, _ story: PushStory, opener: EnvelopeOpener?) -> [PushStory] {
        var story = story
        story.add(.delivered, "To \(push.topic) on \(profile.name)")
        switch push.type {
        case .alert: return show(push, story, opener: opener)
        case .liveactivity: return updateActivities(push, story)
        case .background: return wake(push, story)
        case .voip: story.wake("Call reported", why: "The app must report the call to CallKit at once")
        case .widgets: story.wake("Widgets reloaded")
        case .controls: story.wake("Controls reloaded")
        case .complication: story.wake("Complication updated")
        case .fileprovider: story.wake("File provider signalled")
        case .location: story.wake("Location extension woken")
        case .mdm: story.wake("Device asks its MDM server")
        case .pushtotalk: talk(push, &story)
        default: story.hide("Not handed over", why: "Unknown push type \(push.type.rawValue.debugDescription)")
        }
        return [story]
    }

    /// Push to Talk reaches an app only while it is in a channel, which these phones never are.
    private func talk(_ push: PhonePush, _ story: inout PushStory) {
        let content = PushContent(push.body, strings: [:])
        if content?.aps?["ptt-push-type"]?.string == "service-update" {
            story.wake("Push to Talk updated")
        } else {
            story.hide("Not handed over", why: "Push to Talk is discarded without an active session")
        }
    }

    /// Wakes an app in the background.
    private mutating func wake(_ push: PhonePush, _ story: PushStory) -> [PushStory] {
        var story = story
        guard let content = PushContent(push.body, strings: [:]), content.wakesApp else {
            story.hide("App not woken", why: "The payload has no content-available")
            return [story]
        }
        return wakeApp(push, story)
    }

    /// Wakes an app for `content-available`. An app that the user has ended gets only the newest one, at its next launch.
    mutating func wakeApp(_ push: PhonePush, _ story: PushStory) -> [PushStory] {
        var story = story
        var app = app(push.topic)
        var stories: [PushStory] = []
        if app.forceQuit {
            if let old = app.held {
                let why = "The system keeps only the newest one for a force-quit app"
                stories.append(
                    PushStory(
                        of: old.number, at: story.now, .discarded, "\(push.number) replaced it", note: why,
                        outcome: PhoneOutcome(
                            .replaced, "Replaced by \(push.number)", why: why, replacedBy: push.number)))
            }
            app.held = push
            story.hide("App not woken: force-quit", why: "The app gets it when the user opens it")
        } else {
            let hour = story.now.addingTimeInterval(-3600)
            app.wakes = app.wakes.filter { $0 > hour }.suffix(20) + [story.now]
            app.isRunning = true
            let often = app.wakes.count > 3
            story.wake(
                "App woken", why: "Nothing to show",
                note: often ? "\(app.wakes.count) in this hour: a real system delays more than 2 or 3" : nil)
        }
        apps[push.topic] = app
        return stories + [story]
    }
}
