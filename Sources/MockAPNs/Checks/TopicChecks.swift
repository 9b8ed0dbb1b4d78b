import APNSVocabulary

extension Check {
    static let topicPresent = Check(
        "topic present", .headers, [.missingTopic],
        """
        A request without a topic gets MissingTopic, except on a connection with a certificate for exactly one \
        topic.
        """, .confirmed
    ) { input in
        guard input.topic?.isEmpty ?? true else { return nil }
        guard let topics = input.connection.certificate?.topics, topics.count > 1 else {
            return Finding(.missingTopic, "The request has no apns-topic.")
        }
        return Finding(
            .missingTopic,
            """
            The request has no apns-topic, and its certificate is for several topics: \
            \(topics.joined(separator: ", ")).
            """
        )
    }

    static let topicForm = Check(
        "topic form", .headers, [.badTopic],
        """
        A malformed topic gets BadTopic. It is a guess that a topic must consist of words of A-Z a-z 0-9 - _ \
        separated by dots.
        """, .guess
    ) { input in
        guard let topic = input.topic, !isWellFormed(topic) else { return nil }
        return Finding(
            .badTopic, "The apns-topic is \(Finding.quote(topic)), which doesn't have the form of a bundle id.")
    }

    static let topicOfKey = Check(
        "topic of the key", .headers, [.topicDisallowed], setting: "uncoveredTopicReason",
        """
        A team key is valid for all topics of its team. Other topics get TopicDisallowed. The same reason for a \
        topic-specific key is inferred.
        """, .guess
    ) { input in
        guard let topics = input.trustedKey?.topics, let topic = input.topic else { return nil }
        guard !topics.contains(topic), !topics.contains(PushType.appTopic(of: topic)) else { return nil }
        return Finding(
            input.apns.variants.uncoveredTopicReason,
            "The key is valid only for certain topics, and \(Finding.quote(topic)) isn't one of them.",
            remedy: .trustKeyForTopic
        )
    }

    static let pushTypeKnown = Check(
        "push type known", .headers, [.invalidPushType],
        "An unknown push type gets InvalidPushType. A request without a push type is accepted.", .confirmed
    ) { input in
        guard let type = input.request.pushType, !type.isKnown, !input.apns.variants.pushTypes.contains(type.rawValue)
        else { return nil }
        return Finding(
            .invalidPushType, "The apns-push-type is \(Finding.quote(type.rawValue)).",
            remedy: type.isWord ? .acceptPushType(type.rawValue) : nil)
    }

    static let topicOfPushType = Check(
        "topic of the push type", .headers, [.topicDisallowed], setting: "topicAgainstPushTypeReason",
        """
        Apple says that most push types need a topic with their own suffix. TopicDisallowed for other topics is a \
        guess, based on a report about calls.
        """, .guess
    ) { input in
        guard let reason = input.apns.variants.topicAgainstPushTypeReason, let topic = input.topic,
            let type = input.request.pushType, let suffix = type.topicSuffix
        else { return nil }
        let remedy = MockRemedy.setVariant("topicAgainstPushTypeReason = nil", "topic_against_push_type_reason=null")
        if !suffix.isEmpty {
            guard !topic.hasSuffix(suffix) else { return nil }
            return Finding(
                reason,
                "The topic of push type \(type) must end in \"\(suffix)\", but it is \(Finding.quote(topic)).",
                remedy: remedy
            )
        }
        guard let foreign = input.topicSuffix, !ambiguousSuffixes.contains(foreign) else { return nil }
        return Finding(
            reason, "The topic ends in \"\(foreign)\", which isn't for push type \(type).", remedy: remedy)
    }

    /// Suffixes of APNs that can also be part of a bundle id. An alert for such a topic is accepted and reported as an
    /// allowance. A bundle id is unlikely to end in one of the other suffixes.
    static let ambiguousSuffixes = [".voip", ".complication"]

    static func isWellFormed(_ topic: String) -> Bool {
        var topic = topic
        return topic.withUTF8(isWellFormed)
    }

    private static func isWellFormed(_ topic: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous = UInt8(ascii: ".")
        for character in topic {
            switch character {
            case UInt8(ascii: "."): if previous == UInt8(ascii: ".") { return false }
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            default: return false
            }
            previous = character
        }
        return previous != UInt8(ascii: ".")
    }
}
