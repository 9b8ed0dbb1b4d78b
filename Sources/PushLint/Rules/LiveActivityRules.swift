internal import PushJSON
import PushPlatform
internal import PushProvider
internal import PushTime

/// Rules about Live Activities: the keys that each event needs, and the keys that belong to another event.
enum LiveActivityRules {
    static let rules: [LintRule] = [
        LintRule(
            "live-activity-event", .error, aliases: ["L11"],
            title: "The event of a Live Activity is start, update or end",
            explanation: "Without an event the system does nothing.",
            remedy: "Add \"event\":\"update\" to aps.", source: RuleSource.liveActivities, check: .single(event)),
        LintRule(
            "live-activity-timestamp", .error, title: "A Live Activity has a timestamp",
            explanation: "The system shows the newest update, and ignores an update without a timestamp.",
            remedy: "Add \"timestamp\" to aps: seconds since 1970.", source: RuleSource.liveActivities,
            check: .single(timestamp)),
        LintRule(
            "live-activity-content-state", .error, title: "start and update have a content-state",
            explanation: """
                The Live Activity shows the content-state. It is optional for end, but then the last state stays on the Lock \
                Screen.
                """,
            remedy: "Add \"content-state\" with every property of the app's ContentState.",
            source: RuleSource.liveActivities,
            check: .single(contentState)),
        LintRule(
            "live-activity-start", .error, title: "start has attributes and an alert",
            explanation: """
                attributes-type is the name of the Swift type, attributes are its values. The alert announces the Live Activity: \
                a device drops a start whose alert has no text.
                """,
            remedy: "Add the missing key.", source: RuleSource.liveActivities, check: .payload(start)),
        LintRule(
            "live-activity-start-only", .warning, title: "Attributes and input keys belong to start",
            explanation:
                "attributes-type, attributes, input-push-token and input-push-channel are read only at the start.",
            remedy: "Remove the key.", source: RuleSource.liveActivities, check: .payload(startOnly)),
        LintRule(
            "live-activity-end-only", .warning, title: "dismissal-date belongs to end",
            explanation: "It is the time at which an ended Live Activity disappears from the Lock Screen.",
            remedy: "Remove the key, or use the event end.",
            source: RuleSource.liveActivities, check: .single(endOnly)),
        LintRule(
            "live-activity-inputs", .error, aliases: ["L16"], title: "Updates come by token or by channel, not by both",
            explanation: "input-push-token requests a separate token, input-push-channel subscribes to a channel.",
            remedy: "Remove one of the two.", source: RuleSource.liveActivities, check: .single(inputs)),
        LintRule(
            "live-activity-times", .error, title: "The times of a Live Activity are seconds since 1970",
            explanation: """
                JavaScript and Java use milliseconds. A timestamp in milliseconds is thousands of years in the future, and no \
                later update is shown.
                """,
            remedy: "Divide by 1000.", source: RuleSource.liveActivities, check: .payload(times)),
        LintRule(
            "live-activity-clock", .warning, title: "The times of a Live Activity fit the time of the push",
            explanation: """
                A device ignores an update that is older than the one it shows, and a timestamp in the future makes it ignore \
                every update until then. A Live Activity is active for at most 8 hours, so an older timestamp is a copy of \
                an earlier one. A timestamp is a whole number, and greater than that of the update before.
                """,
            remedy: "Set the timestamp to the time at which you send the push.", source: RuleSource.liveActivities,
            check: .payload(clock)),
        LintRule(
            "live-activity-stale-date", .warning, title: "The stale-date is after the timestamp",
            explanation: "If the stale-date isn't after the timestamp, the Live Activity is stale immediately.",
            remedy: "Use a later stale-date.", source: RuleSource.liveActivities, check: .single(staleDate)),
        LintRule(
            "live-activity-type", .error, title: "Live Activities have push type liveactivity",
            explanation: "With another push type, the keys of a Live Activity are ignored.",
            remedy: "Use push type liveactivity, and the topic that ends in .push-type.liveactivity.",
            source: RuleSource.liveActivities, check: .payload(type)),
    ]

    private static let events = PayloadFacts.activityEvents

    // MARK: Rules

    static func event(_ subject: LintSubject) -> RuleFinding? {
        guard subject.isLiveActivity else { return nil }
        guard let node = subject[.event], subject.isGiven(.event) else {
            if KeyRules.areMisspelt([.event], subject) { return nil }
            return missing("event", "A Live Activity needs an \"event\".", "start, update or end", subject)
        }
        guard let event = subject.tree.text(of: node), !events.contains(event) else { return nil }
        let found = Misspelling(event, of: events)
        return RuleFinding(
            .value(node), "Unknown event \"\(PeerText.printable(String(event.prefix(40))))\" of a Live Activity.",
            found.map { "Write \"\($0.meant)\"." } ?? "Write start, update or end.",
            edits: found?.isCertain == true
                ? [JSONEdit(subject.tree.range(of: node), "\"\(found?.meant ?? "")\"")] : [])
    }

    static func timestamp(_ subject: LintSubject) -> RuleFinding? {
        guard subject.isLiveActivity, !subject.isGiven(.timestamp), !KeyRules.areMisspelt([.timestamp], subject) else {
            return nil
        }
        return missing("timestamp", "A Live Activity needs a \"timestamp\".", "the seconds since 1970", subject)
    }

    static func contentState(_ subject: LintSubject) -> RuleFinding? {
        guard subject.isLiveActivity, !subject.isGiven(.contentState), !KeyRules.areMisspelt([.contentState], subject)
        else {
            return nil
        }
        let event = subject.event.map { " for the event \(PeerText.printable(String($0.prefix(40))))" } ?? ""
        var finding = missing("content-state", "\"content-state\" is missing\(event).", "the state to show", subject)
        if subject.event == "end" { finding.severity = .warning }
        return finding
    }

    static func start(_ subject: LintSubject) -> [RuleFinding] {
        guard subject.isLiveActivity, subject.event == "start" else { return [] }
        let keys = [KnownKey.attributesType, .attributes].filter {
            !subject.isGiven($0) && !KeyRules.areMisspelt([$0], subject)
        }.map { key in
            missing(key.name, "The event start needs \"\(key.name)\".", "the app's value", subject)
        }
        return keys + [alertOfStart(subject)].compactMap(\.self)
    }

    /// A start needs an alert with a text. An empty one is as bad as none.
    private static func alertOfStart(_ subject: LintSubject) -> RuleFinding? {
        guard !subject.hasText, !KeyRules.areMisspelt([.alert] + LintSubject.textKeys, subject) else { return nil }
        guard let alert = subject[.alert], subject.isGiven(.alert) else {
            return missing("alert", "The event start needs \"alert\".", "title and body", subject)
        }
        // A value of a wrong type has its own finding.
        guard [.object, .string].contains(subject.tree.nodes[alert].kind) else { return nil }
        return RuleFinding(
            .value(alert), "The event start needs an alert with a text: a device drops a start without one.",
            "Write \"alert\":{\"title\":\"...\",\"body\":\"...\"}.")
    }

    static let startKeys: [KnownKey] = [.attributesType, .attributes, .inputPushToken, .inputPushChannel]

    static func startOnly(_ subject: LintSubject) -> [RuleFinding] {
        guard let event = subject.event, event != "start", events.contains(event), subject.request.broadcast == nil
        else {
            return []
        }
        return startKeys.compactMap { key in
            subject[key].map {
                RuleFinding(
                    .key($0), "\"\(key.name)\" belongs to the event start, but the event is \(event).",
                    "Remove the key.")
            }
        }
    }

    static func endOnly(_ subject: LintSubject) -> RuleFinding? {
        guard let event = subject.event, event != "end", events.contains(event), let node = subject[.dismissalDate]
        else {
            return nil
        }
        return RuleFinding(
            .key(node), "\"dismissal-date\" belongs to the event end, but the event is \(event).",
            "Remove the key.")
    }

    static func inputs(_ subject: LintSubject) -> RuleFinding? {
        guard subject.isGiven(.inputPushChannel), subject.isGiven(.inputPushToken), let node = subject[.inputPushToken]
        else { return nil }
        return RuleFinding(
            .key(node), "\"input-push-token\" and \"input-push-channel\" can't be used together.",
            "Remove one of the two.")
    }

    static func times(_ subject: LintSubject) -> [RuleFinding] {
        [KnownKey.timestamp, .staleDate, .dismissalDate].compactMap { key in
            guard let node = subject[key], let time = subject.tree.number(of: node) else { return nil }
            guard time > APNSLimit.firstMilliseconds else {
                return time < 0
                    ? RuleFinding(.value(node), "\"\(key.name)\" is negative.", "Write seconds since 1970.") : nil
            }
            // A greater number is in microseconds, nanoseconds or the ticks of another epoch.
            guard time < 1e13 else {
                return RuleFinding(
                    .value(node),
                    "\"\(key.name)\" is thousands of years in the future; Apple documents seconds since 1970.",
                    "Write seconds since 1970.")
            }
            let whole = subject.tree.integer(of: node)
            return RuleFinding(
                .value(node), "\"\(key.name)\" is in milliseconds; Apple documents seconds since 1970.",
                "Divide by 1000: \(Int((time / 1000).rounded(.down))).",
                edits: whole.map { [JSONEdit(subject.tree.range(of: node), String($0 / 1000))] } ?? [])
        }
    }

    // MARK: The time of the push

    /// How long a Live Activity is active at most, in seconds. An older timestamp cannot be one of its updates.
    private static let longestActivity = 8 * 3600
    /// How long an ended Live Activity stays on the Lock Screen at most, in seconds.
    private static let longestDisplay = 4 * 3600
    /// How far the clock of another machine may be ahead, in seconds.
    private static let clockTolerance = 60

    static func clock(_ subject: LintSubject) -> [RuleFinding] {
        guard subject.isLiveActivity else { return [] }
        var findings = [wholeTimestamp(subject)]
        if let now = subject.request.secondsSince1970.map({ Double($0) }) {
            findings += [timestamp(subject, now), staleDate(subject, now), dismissalDate(subject, now)]
        }
        return findings.compactMap(\.self)
    }

    private static func wholeTimestamp(_ subject: LintSubject) -> RuleFinding? {
        guard let (node, time) = time(.timestamp, subject), time != time.rounded() else { return nil }
        return RuleFinding(
            .value(node), "The timestamp isn't a whole number; Apple documents whole seconds.",
            "Write \(Int(time)).")
    }

    private static func timestamp(_ subject: LintSubject, _ now: Double) -> RuleFinding? {
        guard let (node, time) = time(.timestamp, subject) else { return nil }
        let advice = "Write the time at which you send the push, in seconds since 1970."
        if time > now + Double(clockTolerance) {
            return RuleFinding(
                .value(node),
                "The timestamp is \(shown(time)), in the future: the device ignores every update until then.", advice)
        }
        guard time < now - Double(longestActivity) else { return nil }
        return RuleFinding(
            .value(node),
            "The timestamp is \(shown(time)), more than 8 hours ago: a device ignores what is older than the update it shows.",
            advice)
    }

    private static func staleDate(_ subject: LintSubject, _ now: Double) -> RuleFinding? {
        guard let (node, time) = time(.staleDate, subject), time < now else { return nil }
        return RuleFinding(
            .value(node), "The stale-date is \(shown(time)), in the past: the Live Activity is stale immediately.",
            "Use a later stale-date.")
    }

    /// Both are documented, so they may be meant.
    private static func dismissalDate(_ subject: LintSubject, _ now: Double) -> RuleFinding? {
        guard subject.event == "end", let (node, time) = time(.dismissalDate, subject) else { return nil }
        if time < now - Double(longestActivity) {
            return RuleFinding(
                .value(node),
                "The dismissal-date is \(shown(time)), in the past: the Live Activity disappears immediately.",
                "If it should stay, use a time in the next 4 hours.", severity: .note)
        }
        guard time > now + Double(longestDisplay + clockTolerance) else { return nil }
        return RuleFinding(
            .value(node),
            "The dismissal-date is \(shown(time)), but the system removes an ended Live Activity after 4 hours.",
            "Use a time in the next 4 hours, or remove the key.", severity: .note)
    }

    /// A time in seconds since 1970; `nil` for what is negative or not in seconds, which other rules report.
    private static func time(_ key: KnownKey, _ subject: LintSubject) -> (node: Int, time: Double)? {
        guard let node = subject[key], let time = subject.tree.number(of: node),
            (0...APNSLimit.firstMilliseconds).contains(time)
        else { return nil }
        return (node, time)
    }

    private static func shown(_ time: Double) -> String { Date(timeIntervalSince1970: time).rfc3339Seconds }

    static func staleDate(_ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[.staleDate], let stale = subject.tree.number(of: node),
            stale <= APNSLimit.firstMilliseconds,
            let timestamp = subject.number(.timestamp), timestamp <= APNSLimit.firstMilliseconds, stale <= timestamp
        else { return nil }
        return RuleFinding(.value(node), "\"stale-date\" isn't after \"timestamp\".", "Use a later stale-date.")
    }

    static func type(_ subject: LintSubject) -> [RuleFinding] {
        guard let type = subject.type, type != .liveactivity,
            let node = own.compactMap({ subject[$0] }).first ?? signs.compactMap({ subject[$0] }).first
        else { return [] }
        let hasOwn = own.contains { subject.has($0) }
        // A push that needs no `aps` may have custom keys in it.
        guard hasOwn || subject.mayAlert || type == .background else { return [] }
        if subject.isPlainlyActivity {
            return [
                RuleFinding(
                    .key(node), "This is a Live Activity, but the push type is \(type).",
                    "Use push type liveactivity, and the topic that ends in .push-type.liveactivity.",
                    // A newer push type of Apple may have these keys, too.
                    severity: hasOwn && type.isKnown ? .error : .warning)
            ]
        }
        return [KnownKey.staleDate, .dismissalDate].compactMap { key in
            subject[key].map {
                RuleFinding(
                    .key($0), "\"\(key.name)\" is a key of Live Activities, but the push type is \(type).",
                    "Remove the key, or use push type liveactivity.", severity: .warning)
            }
        }
    }

    /// Keys that only Live Activities have.
    private static let own: [KnownKey] = [.contentState, .attributesType, .inputPushToken, .inputPushChannel]
    private static let signs: [KnownKey] = [.staleDate, .dismissalDate, .event, .timestamp]

    private static func missing(_ key: String, _ problem: String, _ value: String, _ subject: LintSubject)
        -> RuleFinding
    {
        RuleFinding(subject[.aps].map { .value($0) } ?? .payload, problem, "Add \"\(key)\" to \"aps\": \(value).")
    }
}

extension LintSubject {
    /// Whether the push type is liveactivity. If no push type is given, it follows from topic and keys.
    var isLiveActivity: Bool { type == .liveactivity }

    /// Whether the keys are those of a Live Activity, with any push type.
    var isPlainlyActivity: Bool { PayloadFacts(of: tree).plainPushType == .liveactivity }

    var event: String? { text(.event) }
}
