import APNSVocabulary
import MockAPNs
import PushJSON
import PushPlatform

extension VirtualPhone {
    /// The maximum number of pushes that are kept while a phone is offline. Beyond it, the oldest is forgotten.
    private static let maximumStored = 1000
    /// How long APNs keeps a push without an expiration, in seconds.
    private static let longestStorage = 30 * 86_400.0
    /// How long APNs keeps the newest broadcast of a channel, in seconds.
    private static let longestBroadcastStorage = 8 * 3600.0

    /// Takes a push that APNs accepted.
    ///
    /// - Parameters:
    ///   - push: The push.
    ///   - report: What happened to it until now.
    /// - Returns: What it means for this push and for others.
    mutating func receive(_ push: PhonePush, _ report: PushReport) -> [PushReport] {
        if apps[push.topic] == nil { apps[push.topic] = PhoneApp(PhoneAppProfile(topic: push.topic)) }
        if push.delivery == .discarded {
            var report = report
            let why = "The device is offline and the push must not be stored, or notifications are off for it"
            report.add(.discarded, "APNs discards it", note: why)
            report.outcome = PhoneOutcome(.hidden, "Not shown: discarded", why: "\(why). APNs still answers 200")
            return [report]
        }
        if push.type == .alert, app(push.topic).permission == .denied {
            var report = report
            report.add(
                .discarded, "Permission denied for \(app(push.topic).profile.shownName)",
                note: "APNs answers 200, and discards it")
            report.outcome = PhoneOutcome(
                .hidden, "Not shown: denied", why: "Permission denied; APNs still answers 200")
            return [report]
        }
        return switches.online && push.delivery != .stored ? deliver(push, report) : store(push, report)
    }

    // MARK: Offline

    /// Keeps a push until the phone is online again.
    private mutating func store(_ push: PhonePush, _ report: PushReport) -> [PushReport] {
        var report = report
        let who = push.delivery == .stored ? "The device" : profile.name
        let longest = report.now.addingTimeInterval(
            push.isBroadcast ? Self.longestBroadcastStorage : Self.longestStorage)
        let until: Date
        switch push.expiration {
        case .once:
            return [expired(report, "apns-expiration is 0, and \(who) is offline")]
        case .never:
            return [expired(report, "The channel stores no message, and \(who) is offline")]
        case .until(let time) where time <= report.now:
            return [expired(report, "apns-expiration has passed, and \(who) is offline")]
        case .until(let time): until = min(time, longest)
        case .unspecified: until = longest
        }
        var reports: [PushReport] = []
        let new = StoredPush(push: push, since: report.now, until: until)
        // Those of several devices can wait for the phone, after they were stored one by one.
        for index in stored.indices.reversed() where takesPlace(of: stored[index], new) {
            reports.append(Self.displaced(stored.remove(at: index), by: push, at: report.now))
        }
        if stored.count >= Self.maximumStored {
            let oldest = stored.removeFirst()
            reports.append(Self.forgotten(oldest, at: report.now))
        }
        stored.append(new)
        let kept =
            push.isBroadcast
            ? "the newest broadcast of each channel" : "\(switches.storesSeveral ? "several" : "one") for each app"
        report.add(.stored, "\(who) is offline", note: "APNs keeps \(kept)")
        report.outcome = PhoneOutcome(.stored, "Stored: offline", why: "\(who) is offline; APNs keeps \(kept)")
        return reports + [report]
    }

    /// Whether a push takes the place of a stored one: of that of the same app, or, if APNs keeps several, of the one with the same
    /// collapse id. Of a channel, it keeps only the newest.
    private func takesPlace(of old: StoredPush, _ new: StoredPush) -> Bool {
        guard old.slot == new.slot, switches.storesSeveral, !new.push.isBroadcast else { return old.slot == new.slot }
        return new.push.collapseID != nil && new.push.collapseID == old.push.collapseID
    }

    private static func forgotten(_ old: StoredPush, at now: Date) -> PushReport {
        let why = "The mock keeps at most \(maximumStored) pushes for a phone that is offline"
        return PushReport(
            of: old.push.number, at: now, .discarded, "Forgotten", note: why,
            outcome: PhoneOutcome(.hidden, "Not shown: forgotten", why: why))
    }

    private func expired(_ report: PushReport, _ why: String) -> PushReport {
        var report = report
        report.add(.expired, "Not kept", note: why)
        report.outcome = PhoneOutcome(.hidden, "Not shown: expired", why: why)
        return report
    }

    /// A stored push that a newer one of the same app has replaced.
    private static func displaced(_ old: StoredPush, by push: PhonePush, at now: Date) -> PushReport {
        let isSame = old.push.collapseID != nil && old.push.collapseID == push.collapseID
        let why =
            isSame
            ? "Same collapse id, while stored"
            : "APNs keeps only the newest of each \(push.isBroadcast ? "channel" : "app") while a phone is offline"
        return PushReport(
            of: old.push.number, at: now, .discarded, "\(push.number) replaced it", note: why,
            outcome: PhoneOutcome(.replaced, "Replaced by \(push.number)", why: why, replacedBy: push.number))
    }

    /// The tokens of the devices of the mock for which pushes are stored.
    var offlineDevices: [String] {
        stored.compactMap { entry in
            guard entry.push.delivery == .stored, case .device(let token) = entry.push.target else { return nil }
            return token
        }
    }

    /// A device of the mock is online again: what was stored for it is delivered, if the phone is online, too.
    mutating func deviceIsOnline(_ token: String, at now: Date) -> [PushReport] {
        for index in stored.indices where stored[index].push.target == .device(token) {
            stored[index].push.delivery = .delivered
        }
        return switches.online ? deliverStored(at: now) : []
    }

    /// Delivers what APNs has stored, because the phone is online again. What waits for a device of the mock stays.
    mutating func deliverStored(at now: Date) -> [PushReport] {
        let waiting = stored.filter { $0.push.delivery != .stored }
        stored.removeAll { $0.push.delivery != .stored }
        var reports: [PushReport] = []
        for entry in waiting {
            let report = PushReport(of: entry.push.number, at: now)
            if entry.until <= now {
                reports.append(expired(report, "It expired before \(profile.name) was online again"))
            } else {
                // The permission can have been denied since.
                reports += receive(entry.push, report)
            }
        }
        return reports
    }

    // MARK: Online

    private mutating func deliver(_ push: PhonePush, _ report: PushReport) -> [PushReport] {
        var report = report
        report.add(.delivered, "To \(push.topic) on \(profile.name)")
        if case .wallet = SpecialTopic(push.topic) {
            report.wake("Wallet woken", why: "It requests the changed pass or order from your server")
            return [report]
        }
        switch push.type {
        case .alert: return show(push, report)
        case .liveactivity: return updateActivities(push, report)
        case .background: return wake(push, report)
        case .voip: report.wake("Call reported", why: "The app must report the call to CallKit immediately")
        case .widgets: report.wake("Widgets reloaded")
        case .controls: report.wake("Controls reloaded")
        case .accessory:
            report.wake(
                "Handed to the accessory", why: "Its companion app's data provider extension gets the decrypted answer")
        case .complication: report.wake("Complication updated")
        case .fileprovider: report.wake("File provider signalled")
        case .location: report.wake("Location extension woken")
        case .mdm: report.wake("Device asks its MDM server")
        case .pushtotalk: talk(push, &report)
        default: report.hide("Not handed over", why: "Unknown push type \(push.type.rawValue.debugDescription)")
        }
        return [report]
    }

    /// Push to Talk reaches an app only while it is in a channel, which these phones never are.
    private func talk(_ push: PhonePush, _ report: inout PushReport) {
        let content = PushContent(push.body, strings: [:])
        if content?.aps?["ptt-push-type"]?.string == "service-update" {
            report.wake("Push to Talk updated")
        } else {
            report.hide("Not handed over", why: "Push to Talk is discarded without an active session")
        }
    }

    /// Wakes an app in the background.
    private mutating func wake(_ push: PhonePush, _ report: PushReport) -> [PushReport] {
        var report = report
        guard let content = PushContent(push.body, strings: [:]), content.wakesApp else {
            report.hide("App not woken", why: "The payload has no content-available")
            return [report]
        }
        return wakeApp(push, report)
    }

    /// Wakes an app for `content-available`. An app that the user has ended gets only the newest one, at its next launch.
    mutating func wakeApp(_ push: PhonePush, _ report: PushReport) -> [PushReport] {
        var report = report
        var app = app(push.topic)
        var reports: [PushReport] = []
        if app.forceQuit {
            if let old = app.held {
                let why = "The system keeps only the newest one for a force-quit app"
                reports.append(
                    PushReport(
                        of: old.number, at: report.now, .discarded, "\(push.number) replaced it", note: why,
                        outcome: PhoneOutcome(
                            .replaced, "Replaced by \(push.number)", why: why, replacedBy: push.number)))
            }
            app.held = push
            report.hide("App not woken: force-quit", why: "The app gets it when the user opens it")
        } else {
            let hour = report.now.addingTimeInterval(-3600)
            app.wakes = app.wakes.filter { $0 > hour }.suffix(20) + [report.now]
            app.isRunning = true
            let often = app.wakes.count > 3
            report.wake(
                "App woken", why: "Nothing to show",
                note: often ? "\(app.wakes.count) in this hour: a real system delays more than 2 or 3" : nil)
        }
        apps[push.topic] = app
        return reports + [report]
    }
}

/// Opens sealed payloads for service extensions. The phones do not contain cryptography: the program that runs them provides it.
public struct PhoneEnvelopeOpener: Sendable {
    /// Why an envelope does not open, in a sentence.
    public struct Failure: Error, Sendable, Hashable {
        /// The sentence.
        public var text: String

        /// Creates a problem.
        public init(_ text: String) {
            self.text = text
        }
    }

    private let body: @Sendable (_ envelope: String, _ keyFile: String) -> Result<[UInt8], Failure>

    /// Creates an opener.
    ///
    /// - Parameter body: Returns the payload in an envelope. It gets the text of the envelope and the path of the key.
    public init(_ body: @escaping @Sendable (_ envelope: String, _ keyFile: String) -> Result<[UInt8], Failure>) {
        self.body = body
    }

    func open(_ envelope: String, with keyFile: String) throws(Failure) -> [UInt8] {
        try body(envelope, keyFile).get()
    }
}
