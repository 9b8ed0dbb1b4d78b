internal import PushWire

/// The properties of a client certificate that the checks use.
package struct MockClientCertificate: Hashable, Sendable {
    /// The result of checking the certificate's issuer, dates and purpose.
    package enum Trust: String, Sendable, Hashable {
        /// Issued by an authority that the mock trusts, and currently valid.
        case trusted
        case untrusted
        /// Expired. The mock's server refuses it during the handshake, with an alert.
        case expired
        case notYetValid
        /// Not a push certificate: it names no topic, or it is for signing apps.
        case notForPushes
    }

    package let commonName: String
    /// The topics of Apple's extension, or the user id of the subject if there is no extension. Empty if the
    /// certificate names no topic: then it is valid for all.
    package let topics: [String]
    package let environments: Set<MockEnvironment>
    /// The result of checking the certificate's issuer, dates and purpose.
    package let trust: Trust
    /// SHA-256 of the certificate, in lower-case hex; empty if it is unknown.
    package let sha256: String

    /// Creates the description of a certificate.
    ///
    /// - Parameters:
    ///   - commonName: The common name of the subject.
    ///   - topics: The topics for which it is valid.
    ///   - environments: The environments for which it is valid.
    ///   - trust: The result of checking its issuer, dates and purpose.
    ///   - sha256: SHA-256 of the certificate, in lower-case hex.
    package init(
        commonName: String,
        topics: [String],
        environments: Set<MockEnvironment> = Set(MockEnvironment.allCases),
        trust: Trust = .trusted,
        sha256: String = ""
    ) {
        self.commonName = commonName
        self.topics = topics
        self.environments = environments
        self.trust = trust
        self.sha256 = sha256
    }

    /// The topic of a request without `apns-topic`; `nil` if a request must name its topic.
    package var defaultTopic: String? { topics.count == 1 ? topics.first : nil }
}

extension MockClientCertificate {
    init(_ certificate: ProviderCertificate, _ result: PeerCertificateResult) {
        let trust: Trust =
            switch result {
            case .trusted: certificate.topics.isEmpty || !certificate.kind.sendsPushes ? .notForPushes : .trusted
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .untrusted, .absent: .untrusted
            }
        self.init(
            commonName: certificate.commonName,
            topics: certificate.topics,
            environments: Set(certificate.environments.map { $0 == .sandbox ? .sandbox : .production }),
            trust: trust,
            sha256: certificate.fingerprint
        )
    }
}
