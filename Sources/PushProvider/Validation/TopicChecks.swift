internal import APNSVocabulary
internal import PushPlatform

/// Checks topic and push type for values that Apple always refuses.
package enum TopicChecks {
    // MARK: Topic

    package static func isThere(_ request: CheckedRequest) -> RuleFinding? {
        guard request.topic?.isEmpty == true, request.broadcast == nil else { return nil }
        return missing
    }

    private static var missing: RuleFinding { topic("The topic is missing.", "Give the app's bundle id.") }

    /// What is wrong with the form of a topic, whatever the push.
    package static func mistake(in text: String) -> RuleFinding? {
        text.isEmpty ? missing : problem(of: text, named: "topic").map { topic($0.text, $0.advice) }
    }

    package static func isWellFormed(_ request: CheckedRequest) -> RuleFinding? {
        guard let text = request.topic, !text.consistsOfTopicBytes else { return nil }
        return mistake(in: text)
    }

    /// What is wrong with the form of a topic or a bundle id that is not empty, and what to do.
    static func problem(of text: String, named name: String) -> (text: String, advice: String)? {
        guard text.consistsOfTopicBytes else {
            return (
                "The \(name) \"\(printable(text))\" has a character that isn't allowed in a bundle id.",
                "Use only letters, digits, dots, hyphens and underscores."
            )
        }
        return excess(of: text, named: name)
    }

    private static func excess(of text: String, named name: String) -> (text: String, advice: String)? {
        guard text.utf8.count > longest else { return nil }
        return ("The \(name) is \(text.utf8.count) bytes, more than \(longest).", "Give the app's bundle id.")
    }

    /// The maximum length of a topic, in bytes. A longer topic is refused, because a header that is too long cannot be
    /// sent.
    private static let longest = 512

    /// Whether a topic is not empty, valid and not too long.
    static func isPlain(_ topic: String) -> Bool {
        !topic.isEmpty && topic.utf8.count <= longest && topic.consistsOfTopicBytes
    }

    package static func isShort(_ request: CheckedRequest) -> RuleFinding? {
        guard let text = request.topic else { return nil }
        return excess(of: text, named: "topic").map { topic($0.text, $0.advice) }
    }

    package static func fitsPushType(_ request: CheckedRequest) -> RuleFinding? {
        let type = request.inferred.pushType
        guard request.broadcast == nil, let text = request.topic, !text.isEmpty, let suffix = type.topicSuffix else {
            return nil
        }
        if suffix.isEmpty {
            guard let foreign = request.inferred.typeOfTopic else { return nil }
            return topic(
                "The topic \"\(printable(text))\" is for push type \(foreign), not for \(type).",
                "Use the bundle id alone, or push type \(foreign).")
        }
        guard !text.hasSuffix(suffix) else { return nil }
        return topic(
            "The topic \"\(printable(text))\" doesn't fit push type \(type).",
            "Use the bundle id followed by \(suffix).")
    }

    // MARK: Push type

    package static func pushTypeIsAWord(_ request: CheckedRequest) -> RuleFinding? {
        isWord(request.inferred.pushType)
    }

    /// Returns a finding if this cannot be a push type, not even one that Apple adds later.
    package static func isWord(_ pushType: PushType) -> RuleFinding? {
        // Known words are checked for every notification.
        guard !pushType.isKnown, !pushType.isWord else { return nil }
        return RuleFinding(
            .header(APNSHeader.pushType), "\"\(printable(pushType.rawValue))\" can't be a push type.",
            "Use one of \(PushType.knownNames).")
    }

    package static func pushTypeIsThatOfPayload(_ request: CheckedRequest) -> RuleFinding? {
        let type = request.inferred.pushType
        guard let built = request.payloadPushType, built != type, type.isKnown, built.isKnown
        else { return nil }
        let plain: [PushType] = [.alert, .background]
        if plain.contains(built), plain.contains(type) { return nil }
        return RuleFinding(
            .header(APNSHeader.pushType), "The payload was built for push type \(built), but the push type is \(type).",
            "Remove the push type. It follows from the payload.")
    }

    // MARK: Words

    private static func topic(_ problem: String, _ advice: String) -> RuleFinding {
        RuleFinding(.header(APNSHeader.topic), problem, advice)
    }

    /// Returns a header field as the messages about requests show it. "…" replaces the middle of a long one.
    package static func printable(_ text: String) -> String { PeerText.printable(text, atMost: 80) }
}

extension String {
    /// Whether all bytes are allowed in a topic. It runs for every notification, so it reads bytes, not characters.
    fileprivate var consistsOfTopicBytes: Bool {
        var text = self
        return text.withUTF8 { bytes in
            for byte in bytes where !Self.isTopicByte(byte) { return false }
            return true
        }
    }

    /// One bit for each allowed byte: `-`, `.` and `0` to `9`; `A` to `Z`, `_` and `a` to `z`.
    private static let topicBytes: (below64: UInt64, above: UInt64) = (0x03FF_6000_0000_0000, 0x07FF_FFFE_87FF_FFFE)

    @inline(__always)
    private static func isTopicByte(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? topicBytes.below64 : topicBytes.above
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }
}

/// What a topic looks like that is probably not one: a bundle id with the team id before it, with an empty part, or without a dot.
///
/// APNs decides; so these are warnings.
package enum TopicShape {
    /// Returns what is strange about a topic, and what to do; `nil` for a usual one. The topic has only valid characters.
    package static func problem(in topic: String) -> (problem: String, advice: String)? {
        var shown: String { TopicChecks.printable(topic) }
        let parts = topic.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if parts.contains(where: { $0.isEmpty }) {
            return (
                "The topic \"\(shown)\" has a dot too many.", "A bundle id has text before and after each of its dots."
            )
        }
        if parts.count == 1 {
            return ("The topic \"\(shown)\" has no dot.", "Give the app's whole bundle id, such as com.example.app.")
        }
        guard parts.count > 2, parts[0].count == APNSLimit.identifierCharacters, parts[0].allSatisfy(isOfTeamID)
        else { return nil }
        return (
            "The topic \"\(shown)\" seems to begin with a team id.",
            "Leave out \"\(Substring(parts[0])).\": the bundle id is \(TopicChecks.printable(String(topic.dropFirst(parts[0].count + 1))))."
        )
    }

    private static func isOfTeamID(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
