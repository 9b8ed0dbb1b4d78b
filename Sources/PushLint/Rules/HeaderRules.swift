internal import PushProvider

/// Rules about priority, expiration and collapse id.
enum HeaderRules {
    static let rules: [LintRule] = [
        LintRule(
            "priority-known", .error, title: "The priority is 10, 5 or 1",
            explanation: "APNs answers BadPriority to any other.",
            remedy: "Use 10 for at once, 5 to save power, 1 for least of all.",
            source: RuleSource.sending, check: .request(HeaderChecks.priorityIsKnown)),
        LintRule(
            "background-priority", .error, aliases: ["L2"],
            title: "A background notification has priority 5",
            explanation: "Apple calls priority 10 an error for it.", remedy: "Use 5, or leave the priority out.",
            source: RuleSource.sending, check: .request(HeaderChecks.backgroundIsPowerAware)),
        LintRule(
            "live-activity-priority", .warning, title: "A Live Activity has priority 10 or 5",
            explanation: "ActivityKit documents these two. Priority 10 counts against the app's budget, 5 does not.",
            remedy: "Use 5 for most updates, 10 for what people must see at once.", source: RuleSource.liveActivities,
            check: .request(liveActivityPriority)),
        LintRule(
            "push-to-talk-expiration", .warning, title: "Push to Talk goes at once or not at all",
            explanation: "Apple documents expiration 0: a voice that comes late is of no use.",
            remedy: "Let it expire at once.", source: RuleSource.sending, check: .request(pushToTalk)),
        LintRule(
            "push-to-talk-priority", .warning, title: "Push to Talk has priority 10",
            explanation: "With another the system may hold it back, and somebody speaks meanwhile.",
            remedy: "Use 10, or leave the priority out.", source: RuleSource.sending,
            check: .request(pushToTalkPriority)),
        LintRule(
            "collapse-id-length", .error, aliases: ["L19"], title: "A collapse id has at most 64 bytes",
            explanation: "Bytes of UTF-8 count, not letters. APNs answers BadCollapseId.",
            remedy: "Shorten it; letters outside ASCII count two to four bytes each.", source: RuleSource.sending,
            check: .request(HeaderChecks.collapseIDFits)),
        LintRule(
            "collapse-id-form", .error, title: "A collapse id can be a header's value",
            explanation: "It is not empty, has no control characters, and no space at an end.",
            remedy: "Use visible characters, with spaces only between them.", source: RuleSource.sending,
            check: .request(HeaderChecks.collapseIDIsPlain)),
        LintRule(
            "apns-id-form", .error, title: "An apns-id is a UUID of 8-4-4-4-12 lower-case hex digits",
            explanation: """
                APNs answers BadMessageId to anything else. Apple documents the digits in small letters; whether it takes capital \
                ones is not known.
                """,
            remedy: "Write it as in 123e4567-e89b-12d3-a456-4266554400a0, or leave it out.", source: RuleSource.sending,
            check: .request(idIsCanonical)),
        LintRule(
            "expiration-form", .error, aliases: ["L18"],
            title: "The expiration is in seconds since 1970",
            explanation: "JavaScript and Java count in milliseconds, which is some thousand years ahead.",
            remedy: "Divide by 1000.", source: RuleSource.sending, check: .request(HeaderChecks.expirationIsInSeconds)),
        LintRule(
            "expiration-far", .warning, title: "APNs keeps a notification for 30 days at most",
            explanation: "A later expiration is allowed, and does not make it keep it longer.",
            remedy: "Use an earlier time.", source: RuleSource.metrics, check: .request(expirationIsNear)),
        LintRule(
            "expiration-past", .warning, title: "The expiration is a time to come",
            explanation: "What has expired is tried once at most, and may be thrown away at once.",
            remedy: "Use a time to come, or 0 for one attempt.", source: RuleSource.metrics,
            check: .request(expirationIsToCome)),
    ]

    // MARK: Priority

    static func liveActivityPriority(_ request: CheckedRequest) -> Breach? {
        guard request.inferred.pushType == .liveactivity, request.givenPriority == .low, request.broadcast == nil else {
            return nil
        }
        return Breach(
            .header(APNSHeader.priority), "A Live Activity has priority 10 or 5, not 1.",
            "Use 5, or leave the priority out.")
    }

    static func pushToTalk(_ request: CheckedRequest) -> Breach? {
        guard request.inferred.pushType == .pushtotalk, let expiration = request.expiration, expiration != .doNotStore
        else {
            return nil
        }
        return Breach(
            .header(APNSHeader.expiration), "Push to Talk that is stored comes when the voice is long gone.",
            "Let it expire at once: 0, which is \"once\".")
    }

    static func pushToTalkPriority(_ request: CheckedRequest) -> Breach? {
        guard request.inferred.pushType == .pushtotalk, let priority = request.givenPriority, priority != .immediate,
            PushPriority.known.contains(priority)
        else { return nil }
        return Breach(
            .header(APNSHeader.priority), "Push to Talk has priority 10, not \(priority).",
            "Use 10, or leave the priority out.")
    }

    // MARK: The notification's own id

    static func idIsCanonical(_ request: CheckedRequest) -> Breach? {
        guard let id = request.id else { return nil }
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        let isID =
            parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
        guard isID else {
            return Breach(
                .header(APNSHeader.id), "\"\(PeerText.printable(String(id.unicodeScalars.prefix(80))))\" is no UUID.",
                "Write 8-4-4-4-12 hex digits, or leave it out: Apple makes one.")
        }
        guard id != id.lowercased() else { return nil }
        return Breach(
            .header(APNSHeader.id), "The apns-id has capital letters; Apple documents small ones.",
            "Write \(id.lowercased()).", severity: .warning)
    }

    // MARK: Expiration

    static func expirationIsNear(_ request: CheckedRequest) -> Breach? {
        // A minute more is no matter: 30d, counted from a moment ago.
        guard let now = request.secondsSince1970, case .until(let seconds)? = request.expiration,
            Double(seconds) <= APNSLimit.firstMilliseconds, seconds > now + APNSLimit.storageSeconds + 60
        else { return nil }
        let days = (seconds - now) / 86_400
        return Breach(
            .header(APNSHeader.expiration), "It expires in \(days) days, and APNs keeps it for 30 at most.",
            "Use an earlier time, or leave it to Apple.")
    }

    static func expirationIsToCome(_ request: CheckedRequest) -> Breach? {
        guard let now = request.secondsSince1970, case .until(let seconds)? = request.expiration, seconds > 0,
            seconds < now
        else { return nil }
        return Breach(
            .header(APNSHeader.expiration), "It has expired already, \(now - seconds) seconds ago.",
            "Use a time to come, or \"once\".")
    }
}
