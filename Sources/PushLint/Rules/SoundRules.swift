internal import PushJSON
internal import PushProvider

enum SoundRules {
    static let rules: [LintRule] = [
        LintRule(
            "critical-sound", .warning, aliases: ["L7"], title: "A sound object is for critical alerts",
            explanation: """
                Without "critical":1 and the entitlement for critical alerts, the object has the same effect as a string.
                """,
            remedy: "Add \"critical\":1, or write the name of the sound as a string.", source: RuleSource.payload,
            check: .single(critical)),
        LintRule(
            "critical-level", .warning, title: "A critical alert has interruption-level critical",
            explanation: """
                A critical sound breaks through mute and Focus, and another level asks for less. Apple doesn't say which \
                of the two counts.
                """,
            remedy: "Write \"interruption-level\":\"critical\", or remove \"critical\" from the sound.",
            source: RuleSource.payload, check: .single(level)),
        LintRule(
            "sound-volume", .error, title: "The volume is a number from 0 to 1",
            explanation: "0 is silent, 1 is full volume.", remedy: "Write a number from 0 to 1.",
            source: RuleSource.payload, check: .single(volume)),
        LintRule(
            "sound-file", .warning, title: "A sound is \"default\", or the name of a file with its extension",
            explanation: """
                The file is in the app, with Linear PCM, MA4, µLaw or aLaw in .aiff, .wav or .caf, and shorter than 30 seconds. \
                If it is missing or can't be played, the default sound is played.
                """,
            remedy: "Write \"default\", or the name of a .aiff, .wav or .caf file.", source: RuleSource.sounds,
            check: .payload(file)),
    ]

    static func critical(_ subject: LintSubject) -> RuleFinding? {
        guard let sound = subject[.sound], subject.tree.nodes[sound].kind == .object else { return nil }
        guard !isCritical(subject), subject.has(.critical) || !KeyRules.areMisspelt([.critical], subject) else {
            return nil
        }
        return RuleFinding(
            .key(sound), "The sound is an object, but it isn't critical.",
            "Add \"critical\":1, or write the name of the sound as a string.")
    }

    private static func isCritical(_ subject: LintSubject) -> Bool {
        subject[.critical].map {
            ["1", "true", "\"1\"", "\"true\"", "1.0"].contains(subject.tree.spelling(of: $0))
        } ?? false
    }

    static func level(_ subject: LintSubject) -> RuleFinding? {
        guard isCritical(subject), let node = subject[.interruptionLevel], let level = subject.tree.text(of: node),
            AlertRules.levels.contains(level), level != "critical"
        else { return nil }
        return RuleFinding(
            .value(node), "The sound is critical, but the interruption level is \(level).",
            "Write \"critical\", or remove \"critical\" from the sound.")
    }

    static func volume(_ subject: LintSubject) -> RuleFinding? {
        guard let node = subject[.volume], let volume = subject.tree.number(of: node), !(0...1).contains(volume) else {
            return nil
        }
        return RuleFinding(
            .value(node), "The volume \(subject.tree.spelling(of: node)) isn't between 0 and 1.",
            "Write a number from 0 to 1.")
    }

    static func file(_ subject: LintSubject) -> [RuleFinding] {
        let positions: [KnownKey] = [.sound, .soundName] + (subject.isLiveActivity ? [.alertSound] : [])
        return positions.compactMap { key in
            guard let node = subject[key], let name = subject.tree.text(of: node), name != "default" else { return nil }
            return file(name, at: node, isAlertSound: key == .alertSound)
        }
    }

    /// Checks the name of a sound. The kind of file is not checked in an alert: Apple's example of a Live Activity plays an .mp4.
    private static func file(_ name: String, at node: Int, isAlertSound: Bool) -> RuleFinding? {
        let shown = PeerText.printable(String(name.prefix(40)))
        if name.lowercased().filter({ $0 != " " }) == "default" {
            return RuleFinding(
                .value(node),
                "The sound \"\(shown)\" has no file extension, and it isn't \"default\".",
                "Write \"default\".")
        }
        guard let dot = name.lastIndex(of: "."), name.index(after: dot) < name.endIndex, dot > name.startIndex else {
            return RuleFinding(
                .value(node),
                name.isEmpty ? "The sound is an empty string." : "The sound \"\(shown)\" has no file extension.",
                name.isEmpty
                    ? "Remove the key, or write \"default\"."
                    : "Write \"default\", or a name such as \"\(stem(shown)).caf\".")
        }
        if isAlertSound { return nil }
        guard !["aiff", "aif", "wav", "caf"].contains(name[name.index(after: dot)...].lowercased()) else { return nil }
        return RuleFinding(
            .value(node), "The sound \"\(shown)\" is in a format that the system doesn't play.",
            "Use a .aiff, .wav or .caf file.")
    }

    private static func stem(_ name: String) -> Substring {
        let end = name.lastIndex { $0 != "." && $0 != " " }
        return end.map { name[...$0] } ?? "name"
    }
}
