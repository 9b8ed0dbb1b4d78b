internal import PushJSON
internal import PushProvider

/// Rules about Live Activities: what each event needs, and what belongs to another.
enum LiveActivityRules {
    static let rules: [LintRule] = [
        LintRule(
            "live-activity-event", .error, aliases: ["L11"],
            title: "The event of a Live Activity is start, update or end",
            explanation: "Without it the system does not know what to do, and does nothing.",
            remedy: "Add \"event\":\"update\" to aps.", source: RuleSource.liveActivities, check: .payload(event)),
        LintRule(
            "live-activity-timestamp", .error, title: "A Live Activity has a timestamp",
            explanation: "The system shows the newest update, and passes over one without a time.",
            remedy: "Add \"timestamp\" to aps: seconds since 1970.", source: RuleSource.liveActivities,
            check: .payload(timestamp)),
        LintRule(
            "live-activity-content-state", .error, title: "Start and update carry a content-state",
            explanation: """
                It is what the Live Activity shows. Ending without one is allowed, but leaves the last state on the Lock \
                Screen.
                """,
            remedy: "Add \"content-state\" with every property of the app's ContentState.",
            source: RuleSource.liveActivities,
            check: .payload(contentState)),
        LintRule(
            "live-activity-start", .error, title: "Start names the attributes, and has an alert",
            explanation:
                "attributes-type is the name of the Swift type, attributes are its values; the alert says what began.",
            remedy: "Add what is missing.", source: RuleSource.liveActivities, check: .payload(start)),
        LintRule(
            "live-activity-start-only", .warning, title: "Attributes and input keys belong to start",
            explanation:
                "attributes-type, attributes, input-push-token and input-push-channel are read when it begins.",
            remedy: "Leave it out.", source: RuleSource.liveActivities, check: .payload(startOnly)),
        LintRule(
            "live-activity-end-only", .warning, title: "dismissal-date belongs to end",
            explanation: "It says when an ended Live Activity leaves the Lock Screen.",
            remedy: "Leave it out, or end it.",
            source: RuleSource.liveActivities, check: .payload(endOnly)),
        LintRule(
            "live-activity-inputs", .error, aliases: ["L16"], title: "Updates come by token or by channel, not by both",
            explanation: "input-push-token asks for a token of its own, input-push-channel subscribes to a channel.",
            remedy: "Leave one of them out.", source: RuleSource.liveActivities, check: .payload(inputs)),
        LintRule(
            "live-activity-times", .error, title: "The times of a Live Activity are seconds since 1970",
            explanation: """
                JavaScript and Java count in milliseconds: then the timestamp lies thousands of years ahead, and no later \
                update is shown.
                """,
            remedy: "Divide by 1000.", source: RuleSource.liveActivities, check: .payload(times)),
        LintRule(
            "live-activity-stale-date", .warning, title: "A Live Activity becomes stale after it was updated",
            explanation: "With a stale-date at or before the timestamp it is stale at once.",
            remedy: "Use a later stale-date.", source: RuleSource.liveActivities, check: .payload(staleDate)),
        LintRule(
            "live-activity-type", .error, title: "Live Activities go as push type liveactivity",
            explanation: "With another push type the keys of a Live Activity are passed over.",
            remedy: "Use push type liveactivity, and the topic that ends in .push-type.liveactivity.",
            source: RuleSource.liveActivities, check: .payload(type)),
    ]

    private static let events = PayloadReading.activityEvents

    // MARK: Rules

    static func event(_ subject: LintSubject) -> [Breach] {
        guard subject.isLiveActivity else { return [] }
        guard let node = subject[.event], subject.isGiven(.event) else {
            if KeyRules.areMisspelt([.event], subject) { return [] }
            return [
                missing("event", "It is a Live Activity, and there is no \"event\".", "start, update or end", subject)
            ]
        }
        guard let event = subject.tree.text(of: node), !events.contains(event) else { return [] }
        let found = Misspelling(event, of: events)
        return [
            Breach(
                .value(node), "\"\(PeerText.printable(String(event.prefix(40))))\" is no event of a Live Activity.",
                found.map { "Write \"\($0.meant)\"." } ?? "Write start, update or end.",
                edits: found?.isCertain == true
                    ? [JSONEdit(subject.tree.range(of: node), "\"\(found?.meant ?? "")\"")] : [])
        ]
    }

    static func timestamp(_ subject: LintSubject) -> [Breach] {
        guard subject.isLiveActivity, !subject.isGiven(.timestamp), !KeyRules.areMisspelt([.timestamp], subject) else {
            return []
        }
        return [missing("timestamp", "A Live Activity needs a \"timestamp\".", "the seconds since 1970", subject)]
    }

    static func contentState(_ subject: LintSubject) -> [Breach] {
        guard subject.isLiveActivity, !subject.isGiven(.contentState), !KeyRules.areMisspelt([.contentState], subject)
        else {
            return []
        }
        let event = subject.event.map { " for the event \(PeerText.printable(String($0.prefix(40))))" } ?? ""
        var breach = missing("content-state", "There is no \"content-state\"\(event).", "what is to be shown", subject)
        if subject.event == "end" { breach.severity = .warning }
        return [breach]
    }

    static func start(_ subject: LintSubject) -> [Breach] {
        guard subject.isLiveActivity, subject.event == "start" else { return [] }
        return [KnownKey.attributesType, .attributes, .alert].filter {
            !subject.isGiven($0) && !KeyRules.areMisspelt([$0], subject)
        }.map { key in
            missing(
                key.name, "Start needs \"\(key.name)\".", key == .alert ? "title and body" : "that of the app", subject)
        }
    }

    static let startKeys: [KnownKey] = [.attributesType, .attributes, .inputPushToken, .inputPushChannel]

    static func startOnly(_ subject: LintSubject) -> [Breach] {
        guard let event = subject.event, event != "start", events.contains(event), subject.request.broadcast == nil
        else {
            return []
        }
        return startKeys.compactMap { key in
            subject[key].map {
                Breach(.key($0), "\"\(key.name)\" belongs to start, and this is \(event).", "Leave it out.")
            }
        }
    }

    static func endOnly(_ subject: LintSubject) -> [Breach] {
        guard let event = subject.event, event != "end", events.contains(event), let node = subject[.dismissalDate]
        else {
            return []
        }
        return [Breach(.key(node), "\"dismissal-date\" belongs to end, and this is \(event).", "Leave it out.")]
    }

    static func inputs(_ subject: LintSubject) -> [Breach] {
        guard subject.has(.inputPushChannel), let node = subject[.inputPushToken] else { return [] }
        return [
            Breach(
                .key(node), "\"input-push-token\" and \"input-push-channel\" do not go together.",
                "Leave one of them out.")
        ]
    }

    static func times(_ subject: LintSubject) -> [Breach] {
        [KnownKey.timestamp, .staleDate, .dismissalDate].compactMap { key in
            guard let node = subject[key], let time = subject.tree.number(of: node) else { return nil }
            guard time > APNSLimit.firstMilliseconds else {
                return time < 0
                    ? Breach(.value(node), "\"\(key.name)\" is negative.", "Write seconds since 1970.") : nil
            }
            // What is greater still is in microseconds, nanoseconds or the ticks of another epoch.
            guard time < 1e13 else {
                return Breach(
                    .value(node),
                    "\"\(key.name)\" is thousands of years ahead, in whatever unit; Apple documents seconds.",
                    "Write seconds since 1970.")
            }
            let whole = subject.tree.integer(of: node)
            return Breach(
                .value(node), "\"\(key.name)\" is in milliseconds; Apple documents seconds since 1970.",
                "Divide by 1000: \(Int((time / 1000).rounded(.down))).",
                edits: whole.map { [JSONEdit(subject.tree.range(of: node), String($0 / 1000))] } ?? [])
        }
    }

    static func staleDate(_ subject: LintSubject) -> [Breach] {
        guard let node = subject[.staleDate], let stale = subject.tree.number(of: node),
            stale <= APNSLimit.firstMilliseconds,
            let timestamp = subject.number(.timestamp), timestamp <= APNSLimit.firstMilliseconds, stale <= timestamp
        else { return [] }
        return [Breach(.value(node), "\"stale-date\" is not after \"timestamp\".", "Use a later one.")]
    }

    static func type(_ subject: LintSubject) -> [Breach] {
        guard let type = subject.type, type != .liveactivity,
            let node = own.compactMap({ subject[$0] }).first ?? signs.compactMap({ subject[$0] }).first
        else { return [] }
        let hasOwn = own.contains(where: subject.has)
        // What needs no `aps` may have words of its own there, too.
        guard hasOwn || subject.mayAlert || type == .background else { return [] }
        if subject.isPlainlyActivity {
            return [
                Breach(
                    .key(node), "This is a Live Activity, and the push type is \(type).",
                    "Use push type liveactivity, and the topic that ends in .push-type.liveactivity.",
                    severity: hasOwn ? .error : .warning)
            ]
        }
        return [KnownKey.staleDate, .dismissalDate].compactMap { key in
            subject[key].map {
                Breach(
                    .key($0), "\"\(key.name)\" is a key of Live Activities, and the push type is \(type).",
                    "Leave it out, or use push type liveactivity.", severity: .warning)
            }
        }
    }

    /// Keys that nothing else has.
    private static let own: [KnownKey] = [.contentState, .attributesType, .inputPushToken, .inputPushChannel]
    private static let signs: [KnownKey] = [.staleDate, .dismissalDate, .event, .timestamp]

    private static func missing(_ key: String, _ problem: String, _ value: String, _ subject: LintSubject) -> Breach {
        Breach(subject[.aps].map { .value($0) } ?? .payload, problem, "Add \"\(key)\" to \"aps\": \(value).")
    }
}

extension LintSubject {
    /// The push type says so; where none is given, it follows from topic and keys.
    var isLiveActivity: Bool { type == .liveactivity }

    /// The keys say so, whatever the push type is.
    var isPlainlyActivity: Bool { PayloadReading(of: tree).plainPushType == .liveactivity }

    var event: String? { text(.event) }
}
