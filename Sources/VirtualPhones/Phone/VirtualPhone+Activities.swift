import APNSVocabulary
import PushJSON
import PushPlatform
import PushTime

extension VirtualPhone {
    /// Starts, updates or ends a Live Activity.
    mutating func updateActivities(_ push: PhonePush, _ report: PushReport) -> [PushReport] {
        var report = report
        guard let content = PushContent(push.body, strings: app(push.topic).profile.strings), let aps = content.aps
        else {
            report.hide("Not shown: no payload", why: "The payload has no aps")
            return [report]
        }
        guard let timestamp = aps["timestamp"]?.number else {
            report.hide("Ignored: no timestamp", why: "A Live Activity needs aps.timestamp, in seconds since 1970")
            return [report]
        }
        switch aps["event"]?.string {
        case "start": start(push, aps, timestamp, &report)
        case "update", "end": change(push, aps, timestamp, &report)
        case let event:
            report.hide(
                "Ignored: no event",
                why: event.map { "\($0.debugDescription) isn't an event; use start, update or end" }
                    ?? "A Live Activity needs aps.event: start, update or end")
        }
        if report.outcome?.kind == .shown { alert(content, aps, push, &report) }
        let reports = dropOldestActivity(at: report.now)
        return reports + [report]
    }

    // MARK: Start

    private mutating func start(_ push: PhonePush, _ aps: LocatedJSON, _ timestamp: Double, _ report: inout PushReport)
    {
        if let why = obstacle(to: push, aps) ?? spentBudget(push.topic, at: report.now) {
            return report.hide("Activity not started", why: why)
        }
        guard case .device(let token) = push.target else { return }
        activityCount += 1
        let type = aps["attributes-type"]?.string
        var activity = LiveActivity(
            id: "\(token.prefix(8))-\(activityCount)", topic: push.topic, startedAt: report.now, type: type,
            attributes: aps["attributes"]?.members ?? [], startToken: token, lastActive: lastActive(report.now),
            push: push.number)
        activity.channel = aps["input-push-channel"]?.string
        activity.isAllowed = !profile.activities.needsAllow || activity.channel != nil
        Self.readCommon(aps, timestamp, push.number, into: &activity, at: report.now)
        activities.append(activity)
        report.add(
            .shown, "Live Activity started",
            note: [type, activity.channel.map { "Listens to channel \($0)" }]
                .compactMap(\.self).joined(separator: ". "))
        report.outcome = PhoneOutcome(.shown, "Activity started", why: type)
    }

    /// Counts a start, and tells why the system does not start an activity; `nil` if it does.
    private mutating func spentBudget(_ topic: String, at now: Date) -> String? {
        guard let maximum = profile.activities.starts else { return nil }
        let first = now.addingTimeInterval(-(profile.activities.startTime / .seconds(1)))
        var app = app(topic)
        app.starts = (app.starts.filter { $0 > first } + [now]).suffix(maximum + 1)
        apps[topic] = app
        guard app.starts.count > maximum else { return nil }
        return """
            The budget for starts is used up: \(maximum) in \(Self.text(profile.activities.startTime / .seconds(1))) s for an app, and \
            further tries count. APNs still answers 200
            """
    }

    private func lastActive(_ start: Date) -> Date {
        start.addingTimeInterval(profile.activities.activeTime / .seconds(1))
    }

    /// The person taps Allow on an activity that a push has started.
    ///
    /// - Returns: `nil` if the phone has no activity of this push.
    mutating func allowActivity(_ push: Int, at now: Date) -> [PushReport]? {
        guard let index = activities.lastIndex(where: { $0.push == push }) else { return nil }
        activities[index].isAllowed = true
        return [PushReport(of: push, at: now, .acted, "Allow tapped", note: "The app gets the token for updates")]
    }

    /// Why a Live Activity cannot be started; `nil` if it can.
    private func obstacle(to push: PhonePush, _ aps: LocatedJSON) -> String? {
        guard case .device = push.target else { return "A broadcast can't start a Live Activity" }
        for key in ["attributes-type", "attributes", "content-state", "alert"] where aps[key] == nil {
            return "A start needs aps.\(key)"
        }
        let takesInput = aps["input-push-channel"] != nil || aps["input-push-token"] != nil
        if aps["input-push-channel"] != nil, aps["input-push-token"] != nil {
            return "A start has input-push-channel or input-push-token, not both"
        }
        if !profile.isAtLeast(17, 2) { return "Start by push needs iOS 17.2; the phone has \(profile.os)" }
        if takesInput, !profile.isAtLeast(18, 0) { return "The input keys need iOS 18; the phone has \(profile.os)" }
        return nil
    }

    // MARK: Update and end

    private mutating func change(_ push: PhonePush, _ aps: LocatedJSON, _ timestamp: Double, _ report: inout PushReport)
    {
        let ends = aps["event"]?.string == "end"
        if let time = profile.activities.tokenTime {
            for index in activities.indices { activities[index].replaceToken(after: time, at: report.now) }
        }
        let found = indexes(of: push)
        if found.isEmpty { return changeUnknown(push, aps, timestamp, ends: ends, &report) }
        var changed = 0
        var whyNot = ""
        for index in found {
            if let ended = activities[index].endedAt {
                let isOver = ended == activities[index].lastActive
                whyNot = "The Live Activity has ended\(isOver ? ": the system allows it no more time" : "")"
            } else if case .device(let token) = push.target, activities[index].oldTokens.contains(token) {
                whyNot = "The app has a new token for updates of this Live Activity, and this one is the old one"
            } else if !activities[index].isAllowed {
                whyNot = "There is no token for updates before the person has tapped Allow"
            } else if !ends, let until = activities[index].pausedUntil, report.now < until {
                whyNot = "The system shows the next update after \(until.rfc3339)"
            } else if timestamp < activities[index].timestamp {
                whyNot = """
                    Its timestamp \(Self.text(timestamp)) is older than \(Self.text(activities[index].timestamp)), which is shown
                    """
            } else {
                apply(push, aps, timestamp, ends: ends, to: index, at: report.now)
                changed += 1
            }
        }
        guard changed > 0 else { return report.hide("Activity unchanged", why: whyNot) }
        removeDismissed(at: report.now)
        describe(ends: ends, count: changed, push, &report)
    }

    private func indexes(of push: PhonePush) -> [Int] {
        switch push.target {
        case .channel(let channel):
            return activities.indices.filter { activities[$0].topic == push.topic && activities[$0].channel == channel }
        case .device(let token):
            let own = activities.indices.filter { activities[$0].topic == push.topic }
            let known = own.filter { activities[$0].tokens.contains(token) }
            if let newest = known.last(where: { activities[$0].endedAt == nil }) ?? known.last { return [newest] }
            if hasLeft(token, push.topic) { return [] }
            // The device made a token for updates, which is seen here for the first time.
            return own.last {
                activities[$0].updateToken == nil && activities[$0].endedAt == nil && activities[$0].channel == nil
            }.map { [$0] } ?? []
        }
    }

    /// Whether the Live Activity of a device token has left the screen.
    private func hasLeft(_ token: String, _ topic: String) -> Bool {
        endedTokens.contains([topic, token])
    }

    private mutating func apply(
        _ push: PhonePush, _ aps: LocatedJSON, _ timestamp: Double, ends: Bool, to index: Int, at now: Date
    ) {
        if case .device(let token) = push.target { activities[index].use(token, at: now) }
        Self.readCommon(aps, timestamp, push.number, into: &activities[index], at: now)
        activities[index].pausedUntil = profile.activities.updatePause.map { now.addingTimeInterval($0 / .seconds(1)) }
        if ends {
            activities[index].endedAt = now
            activities[index].isStale = false
            let latest = now.addingTimeInterval(LiveActivity.longestAfterEnd)
            let wanted = aps["dismissal-date"]?.number.map { Date(timeIntervalSince1970: $0) }
            activities[index].dismissal = min(wanted ?? latest, latest)
        }
    }

    /// An update for a Live Activity that no push has started: the app has, so it is shown from now on.
    private mutating func changeUnknown(
        _ push: PhonePush, _ aps: LocatedJSON, _ timestamp: Double, ends: Bool, _ report: inout PushReport
    ) {
        guard case .device(let token) = push.target else {
            return report.hide("Nobody listens", why: "No Live Activity on \(profile.name) listens to this channel")
        }
        guard !hasLeft(token, push.topic) else {
            return report.hide("Activity unchanged", why: "The Live Activity has ended")
        }
        guard !ends else {
            return report.hide("Nothing to end", why: "No Live Activity of \(push.topic) has this device token")
        }
        activityCount += 1
        var activity = LiveActivity(
            id: "\(token.prefix(8))-\(activityCount)", topic: push.topic, startedAt: report.now, attributes: [],
            lastActive: lastActive(report.now), push: push.number)
        activity.use(token, at: report.now)
        Self.readCommon(aps, timestamp, push.number, into: &activity, at: report.now)
        activities.append(activity)
        report.add(.shown, "Live Activity updated", note: "The app started it, because no push did")
        report.outcome = PhoneOutcome(.shown, "Activity updated", why: "Started by the app")
    }

    private func describe(ends: Bool, count: Int, _ push: PhonePush, _ report: inout PushReport) {
        let stays = activities.last { $0.push == push.number }
        let many = count > 1 ? "\(count) Live Activities" : "Live Activity"
        guard ends else {
            report.add(.shown, "\(many) updated")
            report.outcome = PhoneOutcome(.shown, "Activity updated")
            return
        }
        let until = stays?.dismissal.map { "Stays on the lock screen until \($0.rfc3339)" } ?? "Removed immediately"
        report.add(.shown, "\(many) ended", note: until)
        report.outcome = PhoneOutcome(.shown, "Activity ended", why: until)
    }

    /// Reads what start, update and end have in common.
    private static func readCommon(
        _ aps: LocatedJSON, _ timestamp: Double, _ push: Int, into activity: inout LiveActivity, at now: Date
    ) {
        activity.push = push
        activity.timestamp = timestamp
        if let state = aps["content-state"] { activity.state = state.members }
        activity.staleDate = aps["stale-date"]?.number.map { Date(timeIntervalSince1970: $0) }
        activity.isStale = activity.staleDate.map { $0 <= now } ?? false
        activity.relevance = aps["relevance-score"]?.number ?? activity.relevance
    }

    /// Shows the alert of a Live Activity, which is a banner and a sound.
    private mutating func alert(
        _ content: PushContent, _ aps: LocatedJSON, _ push: PhonePush, _ report: inout PushReport
    ) {
        guard content.isVisible else { return }
        let sound = aps["alert"]?["sound"]?.plainText ?? content.sound?.name
        let isLoud = sound != nil && !switches.muted && switches.focus == nil
        var card = PhoneNotificationCard(push: push.number, topic: push.topic, time: report.now)
        card.app = app(push.topic).profile.name
        (card.title, card.subtitle, card.body) = (content.title, content.subtitle, content.body)
        card.sound = sound
        card.isLoud = isLoud
        report.card = card
        report.add(.shown, "Lights up with its alert\(isLoud ? ", sound “\(sound ?? "default")”" : "")")
    }

    private mutating func dropOldestActivity(at now: Date) -> [PushReport] {
        guard activities.count > Self.maximumActivities, let oldest = activities.first else { return [] }
        activities.removeFirst()
        return [Self.forgotten(oldest.push, keeping: Self.maximumActivities, "Live Activities", at: now)]
    }

    /// Removes the Live Activities whose time on the lock screen has ended.
    ///
    /// - Returns: The pushes that they show.
    @discardableResult
    mutating func removeDismissed(at now: Date) -> [Int] {
        let gone = activities.filter { $0.endedAt != nil && ($0.dismissal ?? .distantFuture) <= now }
        activities.removeAll { $0.endedAt != nil && ($0.dismissal ?? .distantFuture) <= now }
        endedTokens += gone.flatMap { one in one.tokens.map { [one.topic, $0] } }
        endedTokens = endedTokens.suffix(Self.maximumEndedTokens)
        return gone.map(\.push)
    }

    /// A number of seconds, without a fraction if it is whole.
    static func text(_ seconds: Double) -> String {
        seconds == seconds.rounded() && abs(seconds) < 1e15 ? "\(Int(seconds))" : "\(seconds)"
    }
}
