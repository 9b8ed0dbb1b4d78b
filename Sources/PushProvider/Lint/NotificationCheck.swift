/// The rules that a notification must obey before it may leave the machine, one small function each.
///
/// Sources: Apple, "Sending notification requests to APNs" and "Generating a remote notification".
enum NotificationCheck {
    typealias Inferred = PushNotification.Inferred

    /// What is wrong, in the order in which a reader meets what the rules speak of.
    static func findings(
        _ notification: PushNotification, _ inferred: Inferred, certificate: CertificateCheck? = nil
    ) -> [Finding] {
        var findings: [Finding] = []
        func apply(_ finding: Finding?) {
            if let finding { findings.append(finding) }
        }
        apply(payloadCanBeRead(notification))
        apply(payloadFits(notification, inferred))
        let ofCertificate = certificate?.findings(notification, inferred) ?? []
        findings += ofCertificate
        if ofCertificate.isEmpty { apply(topicIsThere(notification)) }
        apply(topicIsWellFormed(notification))
        apply(topicIsShort(notification))
        apply(topicFitsPushType(notification, inferred))
        apply(pushTypeIsAWord(inferred))
        apply(priorityIsKnown(notification))
        apply(backgroundIsPowerAware(inferred))
        apply(backgroundIsSilent(notification, inferred))
        apply(collapseIDFits(notification))
        apply(collapseIDIsPlain(notification))
        apply(expirationIsInSeconds(notification))
        return findings
    }

    // MARK: Payload

    private static func payloadCanBeRead(_ notification: PushNotification) -> Finding? {
        guard let problem = notification.payload.reading.problem else { return nil }
        return error(
            "payload", "The payload cannot be sent: \(problem).",
            "Send a JSON object such as {\"aps\":{\"alert\":\"Hello\"}}."
        )
    }

    private static func payloadFits(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
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

    private static func topicIsThere(_ notification: PushNotification) -> Finding? {
        guard notification.topic.isEmpty else { return nil }
        return error(APNSHeader.topic, "There is no topic.", "Give the app's bundle id.")
    }

    private static func topicIsWellFormed(_ notification: PushNotification) -> Finding? {
        guard !notification.topic.consistsOfTopicBytes else { return nil }
        return error(
            APNSHeader.topic,
            "The topic \"\(printable(notification.topic))\" has a character that no bundle id has.",
            "Use letters, digits, dots, hyphens and underscores only."
        )
    }

    /// No bundle id comes near this; what is longer than a header may be would be left out in silence.
    private static func topicIsShort(_ notification: PushNotification) -> Finding? {
        let most = 512
        guard notification.topic.utf8.count > most else { return nil }
        return error(
            APNSHeader.topic,
            "The topic has \(notification.topic.utf8.count) bytes, more than any bundle id.",
            "Give the app's bundle id."
        )
    }

    private static func topicFitsPushType(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        let type = inferred.pushType
        guard let suffix = type.topicSuffix, !notification.topic.isEmpty else { return nil }
        let foreign = inferred.typeOfTopic
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

    private static func pushTypeIsAWord(_ inferred: Inferred) -> Finding? {
        let word = inferred.pushType.rawValue
        // Apple's longest has 12 letters; what is longer than a header may be would be left out in silence.
        let most = 64
        guard word.isEmpty || word.utf8.count > most || !word.consistsOfTopicBytes else { return nil }
        return error(
            APNSHeader.pushType,
            "\"\(printable(word))\" cannot be a push type.",
            "Use one of \(PushType.known.map(\.rawValue).joined(separator: ", "))."
        )
    }

    // MARK: Priority

    private static func priorityIsKnown(_ notification: PushNotification) -> Finding? {
        guard let priority = notification.priority, !PushPriority.known.contains(priority) else { return nil }
        return error(
            APNSHeader.priority,
            "\(priority) is not a priority.",
            "Use 10 for at once, 5 to save power, 1 for least of all."
        )
    }

    private static func backgroundIsPowerAware(_ inferred: Inferred) -> Finding? {
        guard inferred.pushType == .background, inferred.priority == .immediate else {
            return nil
        }
        return error(
            APNSHeader.priority,
            "A background notification cannot have priority 10.",
            "Use 5, or leave the priority out."
        )
    }

    private static func backgroundIsSilent(_ notification: PushNotification, _ inferred: Inferred) -> Finding? {
        guard inferred.pushType == .background, notification.payload.reading.isVisible else { return nil }
        return error(
            "payload.aps",
            "A background notification cannot have an alert, a badge or a sound.",
            "Remove them, or use push type alert."
        )
    }

    // MARK: Collapse id and expiration

    private static func collapseIDFits(_ notification: PushNotification) -> Finding? {
        guard let count = notification.collapseID?.utf8.count, count > APNSLimit.collapseIDBytes else { return nil }
        return error(
            APNSHeader.collapseID,
            "The collapse id has \(count) bytes, more than \(APNSLimit.collapseIDBytes).",
            "Shorten it; letters outside ASCII count two to four bytes each."
        )
    }

    private static func collapseIDIsPlain(_ notification: PushNotification) -> Finding? {
        guard let id = notification.collapseID, id.isEmpty || !isHeaderValue(id) else { return nil }
        return error(
            APNSHeader.collapseID,
            "The collapse id \"\(printable(id))\" is empty or has a control character or a space at an end.",
            "Use visible characters, with spaces only between them."
        )
    }

    private static func expirationIsInSeconds(_ notification: PushNotification) -> Finding? {
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

extension String {
    /// Asked for every notification, so it walks bytes and not characters.
    fileprivate var consistsOfTopicBytes: Bool {
        var text = self
        return text.withUTF8 { bytes in
            for byte in bytes where !Self.isTopicByte(byte) { return false }
            return true
        }
    }

    /// A bit for each of `-`, `.`, `0` to `9`, and for each of `A` to `Z`, `_` and `a` to `z`.
    private static let topicBytes: (below64: UInt64, above: UInt64) = (0x03FF_6000_0000_0000, 0x07FF_FFFE_87FF_FFFE)

    @inline(__always)
    private static func isTopicByte(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? topicBytes.below64 : topicBytes.above
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }
}
