internal import PushTime

/// Checks priority, collapse id and expiration for values that Apple always refuses.
package enum HeaderChecks {
    // MARK: Priority

    package static func priorityIsKnown(_ request: CheckedRequest) -> RuleFinding? {
        request.givenPriority.flatMap(mistake(in:))
    }

    package static func mistake(in priority: PushPriority) -> RuleFinding? {
        guard !PushPriority.known.contains(priority) else { return nil }
        return RuleFinding(
            .header(APNSHeader.priority), "\(priority) isn't a valid priority.",
            "Use 10 to deliver immediately, 5 to save power, 1 for the lowest priority.")
    }

    package static func backgroundIsPowerAware(_ request: CheckedRequest) -> RuleFinding? {
        guard request.inferred.pushType == .background, request.inferred.priority == .immediate else { return nil }
        return RuleFinding(
            .header(APNSHeader.priority), "A background notification can't have priority 10.",
            "Use 5, or remove the priority.")
    }

    // MARK: Collapse id

    package static func collapseIDFits(_ request: CheckedRequest) -> RuleFinding? {
        request.collapseID.flatMap(excess(of:))
    }

    private static func excess(of id: String) -> RuleFinding? {
        let count = id.utf8.count
        guard count > APNSLimit.collapseIDBytes else { return nil }
        return RuleFinding(
            .header(APNSHeader.collapseID),
            "The collapse id is \(count) bytes, more than \(APNSLimit.collapseIDBytes).",
            "Shorten it. A character outside ASCII takes two to four bytes.")
    }

    package static func collapseIDIsPlain(_ request: CheckedRequest) -> RuleFinding? {
        request.collapseID.flatMap(oddity(of:))
    }

    /// What is wrong with a collapse id, whatever the push.
    package static func mistake(inCollapseID id: String) -> RuleFinding? { excess(of: id) ?? oddity(of: id) }

    private static func oddity(of id: String) -> RuleFinding? {
        guard id.isEmpty || !isHeaderValue(id) else { return nil }
        let shown = TopicChecks.printable(id)
        return RuleFinding(
            .header(APNSHeader.collapseID),
            "The collapse id \"\(shown)\" is empty, or has a control character, or begins or ends with a space.",
            "Use visible characters, with spaces only between them.")
    }

    /// RFC 9110 section 5.5: visible characters, spaces between them, and everything above ASCII.
    private static func isHeaderValue(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && bytes.first != 0x20 && bytes.last != 0x20
    }

    // MARK: Expiration

    package static func expirationIsInSeconds(_ request: CheckedRequest) -> RuleFinding? {
        guard let form = request.expiration?.form, let mistake = TimeChecks.mistake(inUnitOf: form) else { return nil }
        return RuleFinding(.header(APNSHeader.expiration), mistake.problem, mistake.advice)
    }

    /// Refuses a time that has passed, if the current time is known.
    package static func expirationIsToCome(_ request: CheckedRequest) -> RuleFinding? {
        guard let now = request.secondsSince1970, case .until(let seconds)? = request.expiration?.form,
            let mistake = TimeChecks.mistake(inExpiration: seconds, secondsSince1970: now)
        else { return nil }
        return RuleFinding(.header(APNSHeader.expiration), mistake.problem, mistake.advice)
    }
}
