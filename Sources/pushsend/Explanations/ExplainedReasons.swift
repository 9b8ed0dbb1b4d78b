import PushProvider

extension Explanation {
    /// Apple's reasons for rejections. Meaning and advice come from the vocabulary.
    static let reasons: [Explanation] = RejectionReason.known.compactMap { reason in
        reason.explanation.map { Explanation($0) }
    }

    /// Creates the explanation of a reason, with the flags of this command.
    init(_ explanation: RejectionReason.Explanation) {
        let reason = explanation.reason
        self.init(
            term: reason.rawValue,
            kind: .reason,
            title: "\(reason.rawValue): why APNs rejected a push, with status \(explanation.status)",
            meaning: explanation.meaning,
            fault: explanation.fault,
            again: explanation.again.sentence,
            steps: [explanation.advice] + reason.stepsWithFlags,
            status: explanation.status,
            page: reason.page
        )
    }
}

extension RejectionReason.Again {
    fileprivate var sentence: String {
        switch self {
        case .never: "No: the same push can't succeed."
        case .afterCorrection: "After a correction."
        case .later: "Later; wait longer each time."
        case .onNewConnection: "Yes, on a new connection."
        case .withNewProviderToken: "Yes, with a new provider token on a new connection."
        }
    }
}

extension RejectionReason {
    fileprivate var stepsWithFlags: [String] {
        let keep = "Keep the token for now: only a 410 means that a token is inactive."
        return switch self {
        case .badDeviceToken:
            [
                "Send to the other environment: -e production, or -e sandbox.",
                "Copy the token again, from the app that is on the phone now.", keep,
            ]
        case .deviceTokenNotForTopic:
            ["Give the bundle id of that app with --topic. Debug builds often have another one.", keep]
        case .badTopic, .topicDisallowed:
            [
                "Compare --topic with the bundle id in Xcode, letter by letter.",
                "\"pushsend inspect FILE\" lists the topics of a certificate.",
            ]
        case .missingTopic: ["Give --topic, or set PUSHSEND_TOPIC."]
        case .badCertificate: ["\"pushsend inspect FILE\" shows kind, topics, environment and expiry."]
        case .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
            ["Use -e production or -e sandbox. The device token must be from the same environment."]
        case .expiredProviderToken:
            ["\"date -u\" shows the clock. With pushsend, this happens only if it is slow by more than 20 minutes."]
        case .invalidProviderToken: ["\"pushsend jwt | pushsend inspect -\" shows the two ids."]
        case .missingProviderToken: ["Give --key and --team-id, or a certificate with --p12."]
        case .badPriority: ["Leave out --priority. The default is 5 for background pushes and 10 for others."]
        case .badExpirationDate: ["Use --expires with once, 2h, 7d or a date."]
        case .badMessageID: ["Leave out --apns-id. pushsend creates a valid one."]
        case .invalidPushType: ["Leave out --push-type. pushsend derives it from the topic and the payload."]
        case .payloadTooLarge: ["--dry-run counts the bytes."]
        case .expiredToken, .unregistered:
            [
                "With --json, \"timestamp\" is the time since when, in milliseconds since 1970.",
                "Delete the token only if that time is later than its last registration by the app.",
            ]
        default: []
        }
    }

    fileprivate var page: String? {
        switch self {
        case .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered, .missingDeviceToken:
            "docs/device-tokens.md"
        case .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .missingProviderToken,
            .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .topicDisallowed, .unrelatedKeyIDInToken,
            .forbidden, .expiredProviderToken, .tooManyProviderTokenUpdates:
            "docs/credentials.md"
        default: nil
        }
    }
}
