extension RejectionReason {
    /// Whether the reason is about the key or the certificate, not about one notification. APNs sends such a reason in
    /// a GOAWAY or with status 403.
    var concernsCredentials: Bool { Self.ofCredentials.contains(self) }

    private static let ofCredentials: Set<RejectionReason> = [
        .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .badEnvironmentKeyIDInToken,
        .badEnvironmentKeyInToken,
    ]
}

extension RejectionReason {
    /// Whether the reason is about the topic and its sender: another notification with the same topic gets the same
    /// answer.
    var concernsTopic: Bool {
        self == .topicDisallowed || self == .badTopic || self == .missingTopic || self == .topicMismatch
    }
}
