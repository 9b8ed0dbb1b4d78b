extension RejectionReason {
    /// The reason speaks of the key or the certificate, not of one notification. APNs says it in a GOAWAY, or with status 403.
    var concernsCredentials: Bool { Self.ofCredentials.contains(self) }

    private static let ofCredentials: Set<RejectionReason> = [
        .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .badEnvironmentKeyIDInToken,
        .badEnvironmentKeyInToken,
    ]
}

extension RejectionReason {
    /// The reason speaks of the topic and of who sends to it: another notification with the same topic gets the same answer.
    var concernsTopic: Bool { self == .topicDisallowed || self == .badTopic || self == .missingTopic }
}
