import APNSVocabulary

extension Check {
    static let topicPresent = Check(
        "topic present", .headers,
        Fact(
            """
            A request must name its topic, else MissingTopic; only on a connection with a certificate for one topic it \
            need not.
            """,
            .confirmed
        )
    ) { hearing in
        guard hearing.topic?.isEmpty ?? true else { return nil }
        guard let topics = hearing.connection.certificate?.topics, topics.count > 1 else {
            return Finding(.missingTopic, "The request has no apns-topic.")
        }
        return Finding(
            .missingTopic,
            "The request has no apns-topic, and its certificate is for several: \(topics.joined(separator: ", "))."
        )
    }

    static let topicForm = Check(
        "topic form", .headers,
        Fact(
            "A malformed topic gets BadTopic; that it is malformed without being dotted words of A-Z a-z 0-9 - _ is guessed.",
            .guess
        )
    ) { hearing in
        guard let topic = hearing.topic, !isWellFormed(topic) else { return nil }
        return Finding(.badTopic, "The apns-topic is \(Finding.quote(topic)), which is not of the form of a bundle id.")
    }

    static let topicOfKey = Check(
        "topic of the key", .headers,
        Fact(
            """
            A key of a team may send to all of its topics, others get TopicDisallowed; that a topic-specific key gets \
            the same word is inferred.
            """,
            .guess
        )
    ) { hearing in
        guard let topics = hearing.trustedKey?.topics, let topic = hearing.topic else { return nil }
        guard !topics.contains(topic), !topics.contains(PushType.appTopic(of: topic)) else { return nil }
        return Finding(
            hearing.world.variants.uncoveredTopicReason,
            "The key is for certain topics only, and \(Finding.quote(topic)) is not one of them.",
            remedy: .trustKeyForTopic
        )
    }

    static let pushTypeKnown = Check(
        "push type known", .headers,
        Fact("A push type that APNs does not know gets InvalidPushType; none at all is accepted.", .confirmed)
    ) { hearing in
        guard let type = hearing.request.pushType, !PushType.known.contains(type) else { return nil }
        return Finding(.invalidPushType, "The apns-push-type is \(Finding.quote(type.rawValue)).")
    }

    static let topicOfPushType = Check(
        "topic of the push type", .headers,
        Fact(
            """
            Most push types need a topic with their own suffix, says Apple; that another topic gets TopicDisallowed is \
            guessed from a report on calls.
            """,
            .guess
        )
    ) { hearing in
        guard let reason = hearing.world.variants.topicAgainstPushTypeReason, let topic = hearing.topic,
            let type = hearing.request.pushType, let suffix = type.topicSuffix
        else { return nil }
        let remedy = MockRemedy.changeVariant("MockVariants.topicAgainstPushTypeReason = nil takes it.")
        if !suffix.isEmpty {
            guard !topic.hasSuffix(suffix) else { return nil }
            return Finding(
                reason,
                "The topic of push type \(type) must end in \"\(suffix)\", this one is \(Finding.quote(topic)).",
                remedy: remedy
            )
        }
        guard let foreign = hearing.topicSuffix, !ambiguousSuffixes.contains(foreign) else { return nil }
        return Finding(
            reason, "The topic ends in \"\(foreign)\", which is not for push type \(type).", remedy: remedy)
    }

    /// No bundle id has a suffix of APNs by chance but these: they are words that an app may bear in its name, so a plain
    /// alert to such a topic is let through and told as an allowance.
    static let ambiguousSuffixes = [".voip", ".complication"]

    private static func isWellFormed(_ topic: String) -> Bool {
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
