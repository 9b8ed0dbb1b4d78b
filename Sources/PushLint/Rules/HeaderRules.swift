internal import APNSVocabulary
internal import PushProvider

/// Rules about priority, expiration and collapse id.
enum HeaderRules {
    static let rules: [LintRule] = [
        LintRule(
            "priority-known", .error, title: "The priority is 10, 5 or 1",
            explanation: "APNs answers BadPriority to any other priority.",
            remedy: "Use 10 to deliver immediately, 5 to save power, 1 for the lowest priority.",
            source: RuleSource.sending, check: .request(HeaderChecks.priorityIsKnown)),
        LintRule(
            "background-priority", .error, aliases: ["L2"],
            title: "A background notification has priority 5",
            explanation: "Apple documents priority 10 as an error here.", remedy: "Use 5, or remove the priority.",
            source: RuleSource.sending, check: .request(HeaderChecks.backgroundIsPowerAware)),
        LintRule(
            "live-activity-priority", .warning, title: "A Live Activity has priority 10 or 5",
            explanation: "ActivityKit documents these two. Priority 10 counts against the app's budget, 5 doesn't.",
            remedy: "Use 5 for most updates, and 10 for updates that people must see immediately.",
            source: RuleSource.liveActivities,
            check: .request(liveActivityPriority)),
        LintRule(
            "push-to-talk-expiration", .warning, title: "Push to Talk has expiration 0",
            explanation: "Apple documents expiration 0, because speech that arrives late is useless.",
            remedy: "Use expiration 0.", source: RuleSource.sending, check: .request(pushToTalk)),
        LintRule(
            "push-to-talk-priority", .warning, title: "Push to Talk has priority 10",
            explanation: "With a lower priority the system may delay it.",
            remedy: "Use 10, or remove the priority.", source: RuleSource.sending,
            check: .request(pushToTalkPriority)),
        LintRule(
            "collapse-id-length", .error, aliases: ["L19"], title: "A collapse id is at most 64 bytes",
            explanation: "The limit is in bytes of UTF-8, not in characters. APNs answers BadCollapseId.",
            remedy: "Shorten it. A character outside ASCII takes two to four bytes.", source: RuleSource.sending,
            check: .request(HeaderChecks.collapseIDFits)),
        LintRule(
            "collapse-id-form", .error, title: "A collapse id is a valid header value",
            explanation: """
                It isn't empty, has no control characters and no space at the beginning or end, and no placeholder: only the payload's are \
                filled in.
                """,
            remedy: "Use visible characters, with spaces only between them.", source: RuleSource.sending,
            check: .request { HeaderChecks.collapseIDIsPlain($0) ?? placeholder(inCollapseID: $0) }),
        LintRule(
            "apns-id-form", .error, title: "An apns-id is a UUID of 8-4-4-4-12 lower-case hex digits",
            explanation: """
                APNs answers BadMessageId to any other form. Apple documents lower-case digits. It is unknown whether it \
                accepts upper-case digits.
                """,
            remedy: "Write it as in 123e4567-e89b-12d3-a456-4266554400a0, or remove it.", source: RuleSource.sending,
            check: .request(idIsCanonical)),
        LintRule(
            "expiration-form", .error, aliases: ["L18"],
            title: "The expiration is in seconds since 1970",
            explanation: "JavaScript and Java use milliseconds. As seconds, that is thousands of years in the future.",
            remedy: "Divide by 1000.", source: RuleSource.sending, check: .request(HeaderChecks.expirationIsInSeconds)),
        LintRule(
            "expiration-far", .warning, title: "APNs stores a notification for at most 30 days",
            explanation: "A later expiration is allowed, but APNs doesn't store the notification longer.",
            remedy: "Use an earlier time.", source: RuleSource.metrics, check: .request(expirationIsNear)),
        LintRule(
            "expiration-past", .error, title: "The expiration is in the future",
            explanation: "APNs tries to deliver an expired notification at most once, and may discard it immediately.",
            remedy: "Use a time in the future, or 0 for one attempt.", source: RuleSource.metrics,
            check: .request(HeaderChecks.expirationIsToCome)),
    ]

    // MARK: Priority

    static func liveActivityPriority(_ request: CheckedRequest) -> RuleFinding? {
        guard request.inferred.pushType == .liveactivity, request.givenPriority == .low, request.broadcast == nil else {
            return nil
        }
        return RuleFinding(
            .header(APNSHeader.priority), "A Live Activity has priority 10 or 5, not 1.",
            "Use 5, or remove the priority.")
    }

    static func pushToTalk(_ request: CheckedRequest) -> RuleFinding? {
        guard request.inferred.pushType == .pushtotalk, let expiration = request.expiration, expiration != .once
        else {
            return nil
        }
        return RuleFinding(
            .header(APNSHeader.expiration), "A Push to Talk notification must not be stored.",
            "Use expiration 0, or \"once\".")
    }

    static func pushToTalkPriority(_ request: CheckedRequest) -> RuleFinding? {
        guard request.inferred.pushType == .pushtotalk, let priority = request.givenPriority, priority != .immediate,
            PushPriority.known.contains(priority)
        else { return nil }
        return RuleFinding(
            .header(APNSHeader.priority), "Push to Talk has priority 10, not \(priority).",
            "Use 10, or remove the priority.")
    }

    private static func placeholder(inCollapseID request: CheckedRequest) -> RuleFinding? {
        guard let id = request.collapseID, PlaceholderRules.range(in: Array(id.utf8)) != nil else { return nil }
        return RuleFinding(
            .header(APNSHeader.collapseID),
            "The collapse id \"\(TopicChecks.printable(id))\" has a placeholder, which isn't filled in.",
            "Give each push its own collapse id: in a campaign, as collapse_id of its line.")
    }

    // MARK: The notification's own id

    static func idIsCanonical(_ request: CheckedRequest) -> RuleFinding? {
        guard let id = request.id else { return nil }
        guard DeviceTokenForm.isUUID(id) else {
            return RuleFinding(
                .header(APNSHeader.id),
                "\"\(TopicChecks.printable(id))\" isn't a UUID.",
                "Write 8-4-4-4-12 hex digits, or remove it; then Apple makes one.")
        }
        guard id != id.lowercased() else { return nil }
        return RuleFinding(
            .header(APNSHeader.id), "The apns-id has upper-case letters; Apple documents lower-case letters.",
            "Write \(id.lowercased()).", severity: .warning)
    }

    // MARK: Expiration

    static func expirationIsNear(_ request: CheckedRequest) -> RuleFinding? {
        // One minute of tolerance: 30d is counted from a moment ago.
        guard let now = request.secondsSince1970, case .until(let seconds)? = request.expiration?.form,
            Double(seconds) <= APNSLimit.firstMilliseconds, seconds > now + APNSLimit.storageSeconds + 60
        else { return nil }
        let days = (seconds - now) / 86_400
        return RuleFinding(
            .header(APNSHeader.expiration), "It expires in \(days) days, but APNs stores it for at most 30.",
            "Use an earlier time, or remove the expiration.")
    }
}
