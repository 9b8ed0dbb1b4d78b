extension RejectionReason {
    /// It speaks of the key or the certificate, not of one notification: no other one would fare better.
    var concernsCredentials: Bool { Self.ofCredentials.contains(self) }

    private static let ofCredentials: Set<RejectionReason> = [
        .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .badEnvironmentKeyIDInToken,
        .badEnvironmentKeyInToken,
    ]
}
