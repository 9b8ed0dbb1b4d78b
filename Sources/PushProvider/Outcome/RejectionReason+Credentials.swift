extension RejectionReason {
    /// The reason speaks of the key or the certificate, not of one notification. APNs says it in a GOAWAY, or with status 403.
    var concernsCredentials: Bool { Self.ofCredentials.contains(self) }

    private static let ofCredentials: Set<RejectionReason> = [
        .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .badEnvironmentKeyIDInToken,
        .badEnvironmentKeyInToken,
    ]
}
