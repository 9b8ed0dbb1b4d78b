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
            word: reason.rawValue,
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
        case .never: "No: the same cannot succeed."
        case .afterCorrection: "After something was corrected."
        case .later: "Later, waiting longer each time."
        case .onNewConnection: "Yes, on a new connection."
        case .withNewProviderToken: "Yes, with a new provider token on a new connection."
        }
    }
}

extension RejectionReason {
    /// The advice with the flags of this command.
    fileprivate var stepsWithFlags: [String] {
        let keep = "Keep the token for now: only a 410 says that a token is dead."
        return switch self {
        case .badDeviceToken:
            [
                "Send to the other environment: -e production, or -e sandbox.",
                "Copy the token again, from the app that is on the phone now.", keep,
            ]
        case .deviceTokenNotForTopic:
            ["Give the bundle id of that app with --topic. Debug builds often have one of their own.", keep]
        case .badTopic, .topicDisallowed:
            [
                "Compare --topic with the bundle id in Xcode, letter by letter.",
                "\"pushsend inspect FILE\" lists the topics of a certificate.",
            ]
        case .missingTopic: ["Give --topic, or set PUSHSEND_TOPIC."]
        case .badCertificate: ["\"pushsend inspect FILE\" shows kind, topics, environment and expiry."]
        case .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
            ["The other host is -e production, or -e sandbox. The device token has to be of that environment too."]
        case .expiredProviderToken:
            ["\"date -u\" shows the clock. With pushsend's tokens it has to be slow by more than 20 minutes for this."]
        case .invalidProviderToken: ["\"pushsend inspect\" of what \"pushsend jwt\" prints shows the two ids."]
        case .missingProviderToken: ["Give --key and --team-id, or a certificate with --p12."]
        case .badPriority: ["Leave --priority out: it is 5 for background pushes and 10 for the others."]
        case .badExpirationDate: ["--expires once, 2h, 7d, or a date makes a right one."]
        case .badMessageID: ["Leave --apns-id out: a right one is made."]
        case .invalidPushType: ["Leave --push-type out: it follows from the topic and the payload."]
        case .payloadTooLarge: ["--dry-run counts the bytes."]
        case .expiredToken, .unregistered:
            [
                "With --json, \"timestamp\" says since when, in milliseconds since 1970.",
                "The token is gone only when that is later than the app's last registration of it; otherwise keep it.",
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
            .forbidden:
            "docs/credentials.md"
        case .expiredProviderToken, .tooManyProviderTokenUpdates: "docs/provider-tokens.md"
        default: nil
        }
    }
}
