/// The rules that a notification must obey before it may leave the machine, one small function each.
///
/// Sources: Apple, "Sending notification requests to APNs" and "Generating a remote notification".
enum NotificationCheck {
    typealias Inferred = PushNotification.Inferred
    typealias Rule = @Sendable (PushNotification, Inferred) -> Finding?

    /// All rules, in the order in which a reader meets what they speak of.
    static let rules: [Rule] = [
        payloadCanBeRead, payloadFits, topicIsThere, topicIsWellFormed, topicIsShort, topicFitsPushType,
        pushTypeIsAWord,
        priorityIsKnown, backgroundIsPowerAware, backgroundIsSilent, collapseIDFits, collapseIDIsPlain,
        expirationIsInSeconds,
    ]

    static func findings(
        _ notification: PushNotification, _ inferred: Inferred
    ) -> [Finding] {
        var findings: [Finding] = []
        for rule in rules {
            if let finding = rule(notification, inferred) { findings.append(finding) }
        }
        return findings
    }

    // MARK: Payload

    @Sendable static func payloadCanBeRead(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard let problem = notification.payload.reading.problem else { return nil }
        return error(
            "payload", "The payload cannot be sent: \(problem).",
            "Send a JSON object such as {\"aps\":{\"alert\":\"Hello\"}}."
        )
    }

    @Sendable static func payloadFits(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        let limit = APNSLimit.payloadBytes(for: inferred.pushType)
        let count = notification.payload.bytes.count
        guard count > limit else { return nil }
        return error(
            "payload",
            "The payload has \(count) bytes, \(count - limit) more than the \(limit) that push type \(inferred.pushType) may have.",
            "Send less, and let the app fetch the rest."
        )
    }

    // MARK: Topic and push type

    @Sendable static func topicIsThere(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard notification.topic.isEmpty else { return nil }
        return error(APNSHeader.topic, "There is no topic.", "Give the app's bundle id.")
    }

    @Sendable static func topicIsWellFormed(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard !notification.topic.utf8.allSatisfy(isTopicByte) else { return nil }
        return error(
            APNSHeader.topic,
            "The topic \"\(printable(notification.topic))\" has a character that no bundle id has.",
            "Use letters, digits, dots, hyphens and underscores only."
        )
    }

    /// No bundle id comes near this; what is longer than a header may be would be left out in silence.
    @Sendable static func topicIsShort(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        let most = 512
        guard notification.topic.utf8.count > most else { return nil }
        return error(
            APNSHeader.topic,
            "The topic has \(notification.topic.utf8.count) bytes, more than any bundle id.",
            "Give the app's bundle id."
        )
    }

    @Sendable static func topicFitsPushType(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        let type = inferred.pushType
        guard let suffix = type.topicSuffix, !notification.topic.isEmpty else { return nil }
        let foreign = PushType.type(ofTopic: notification.topic)
        if suffix.isEmpty {
            guard let foreign else { return nil }
            return error(
                APNSHeader.topic,
                "The topic \"\(printable(notification.topic))\" is one for push type \(foreign), not for \(type).",
                "Use the bundle id alone, or push type \(foreign)."
            )
        }
        guard !notification.topic.hasSuffix(suffix) else { return nil }
        return error(
            APNSHeader.topic,
            "The topic \"\(printable(notification.topic))\" does not fit push type \(type).",
            "Use the bundle id followed by \(suffix)."
        )
    }

    @Sendable static func pushTypeIsAWord(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        let word = inferred.pushType.rawValue
        guard word.isEmpty || !word.utf8.allSatisfy(isTopicByte) else { return nil }
        return error(
            APNSHeader.pushType,
            "\"\(printable(word))\" cannot be a push type.",
            "Use one of \(PushType.known.map(\.rawValue).joined(separator: ", "))."
        )
    }

    // MARK: Priority

    @Sendable static func priorityIsKnown(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard let priority = notification.priority, !PushPriority.known.contains(priority) else { return nil }
        return error(
            APNSHeader.priority,
            "\(priority) is not a priority.",
            "Use 10 for at once, 5 to save power, 1 for least of all."
        )
    }

    @Sendable static func backgroundIsPowerAware(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard inferred.pushType == .background, inferred.priority == .immediate else {
            return nil
        }
        return error(
            APNSHeader.priority,
            "A background notification cannot have priority 10.",
            "Use 5, or leave the priority out."
        )
    }

    @Sendable static func backgroundIsSilent(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard inferred.pushType == .background, notification.payload.reading.isVisible else { return nil }
        return error(
            "payload.aps",
            "A background notification cannot have an alert, a badge or a sound.",
            "Remove them, or use push type alert."
        )
    }

    // MARK: Collapse id and expiration

    @Sendable static func collapseIDFits(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard let count = notification.collapseID?.utf8.count, count > APNSLimit.collapseIDBytes else { return nil }
        return error(
            APNSHeader.collapseID,
            "The collapse id has \(count) bytes, more than \(APNSLimit.collapseIDBytes).",
            "Shorten it; letters outside ASCII count two to four bytes each."
        )
    }

    @Sendable static func collapseIDIsPlain(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard let id = notification.collapseID, id.isEmpty || !isHeaderValue(id) else { return nil }
        return error(
            APNSHeader.collapseID,
            "The collapse id \"\(printable(id))\" is empty or has a control character or a space at an end.",
            "Use visible characters, with spaces only between them."
        )
    }

    @Sendable static func expirationIsInSeconds(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard case .until(let seconds) = notification.expiration else { return nil }
        // The year 5138: nobody means it, but milliseconds look like it.
        let millisecondsBegin = 100_000_000_000
        guard seconds < 0 || seconds > millisecondsBegin else { return nil }
        return error(
            APNSHeader.expiration,
            "\(seconds) is not an expiration in seconds since 1970.",
            seconds > 0 ? "It looks like milliseconds: divide by 1000." : "Use a time to come, or \"once\"."
        )
    }

    // MARK: Words

    private static func error(_ place: String, _ problem: String, _ advice: String) -> Finding {
        Finding(severity: .error, place: place, problem: problem, advice: advice)
    }

    private static func isTopicByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// RFC 9110 section 5.5: visible characters, spaces between them, and everything above ASCII.
    private static func isHeaderValue(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && bytes.first != 0x20 && bytes.last != 0x20
    }

    private static func printable(_ text: String) -> String {
        PeerText.printable(String(text.unicodeScalars.prefix(80)))
    }
}

extension PushNotification {
    /// What is wrong with this notification, or probably not meant; empty when all is well.
    ///
    /// The same is done before each send; a notification with an error in it is not taken.
    public func findings() -> [Finding] {
        NotificationCheck.findings(self, inferred)
    }
}
