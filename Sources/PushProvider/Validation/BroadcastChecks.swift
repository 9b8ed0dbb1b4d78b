/// Checks a request about a broadcast or a channel for values that Apple always refuses.
package enum BroadcastChecks {
    /// Returns the reasons to refuse a broadcast.
    ///
    /// - Parameters:
    ///   - broadcast: The broadcast to send.
    ///   - checks: Whether to apply all rules; otherwise only the rules about requests that cannot be encoded.
    /// - Returns: Findings, all of them errors; empty if it can be sent.
    static func findings(_ broadcast: PushBroadcast, checks: Bool) -> [PushFinding] {
        var findings = self.findings(bundleID: broadcast.bundleID)
        guard checks else { return findings }
        let type = broadcast.payload.pushType ?? .liveactivity
        if type != .liveactivity {
            findings.append(
                .error(
                    "push-type-payload", about: APNSHeader.pushType, "The payload was built for push type \(type).",
                    "Use a payload of a Live Activity: broadcasts exist only for these."))
        }
        if broadcast.expiration.form == .apnsDefault {
            findings.append(
                .error(
                    "expiration-form", about: APNSHeader.expiration,
                    "Apple doesn't choose how long it tries to deliver a broadcast.",
                    "Use .once, a time or a duration."))
        }
        let inferred = PushNotification.inferred(
            pushType: .liveactivity, priority: broadcast.priority, topic: "", broadcast.payload.reading)
        var request = CheckedRequest(inferred: inferred, typeIsKnown: true)
        request.broadcast = CheckedRequest.Broadcast(storesMessages: nil, hasNotificationID: false)
        request.givenPriority = broadcast.priority
        request.expiration = broadcast.expiration
        findings += PayloadChecks.findings(broadcast.payload, request)
        for (rule, check) in [
            ("priority-known", HeaderChecks.priorityIsKnown), ("expiration-form", HeaderChecks.expirationIsInSeconds),
        ] {
            if let found = check(request) { findings.append(found.finding(rule: rule, severity: .error)) }
        }
        return findings
    }

    /// Suffixes that a bundle id can end in as well. A bundle id is unlikely to end in one of the others.
    private static let ambiguousSuffixes = [".voip", ".complication"]

    /// The part of a request that findings about a bundle id are about.
    package static let bundleID = "bundle id"

    /// Returns the reasons to refuse a bundle id, where it stands alone: in a path, or in an option.
    package static func findings(bundleID: String) -> [PushFinding] {
        func finding(_ rule: String, _ problem: String, _ advice: String) -> [PushFinding] {
            [.error(rule, about: Self.bundleID, problem, advice)]
        }
        let shown = TopicChecks.printable(bundleID)
        if bundleID.isEmpty {
            return finding("topic-missing", "The bundle id is missing.", "Give the app's bundle id.")
        }
        if let problem = TopicChecks.problem(of: bundleID, named: "bundle id") {
            return finding("topic-form", problem.text, problem.advice)
        }
        guard let suffix = PushType.type(ofTopic: bundleID)?.topicSuffix, !suffix.isEmpty,
            !ambiguousSuffixes.contains(suffix)
        else { return [] }
        return finding(
            "topic-push-type", "\"\(shown)\" is a bundle id with the suffix of a push type.",
            "Use \"\(shown.dropLast(suffix.count))\": here, the bundle id stands alone.")
    }
}
