internal import PushWire

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
            hasTopicList: certificate.hasTopicList,
            environments: Set(certificate.environments.map { $0 == .sandbox ? .sandbox : .production }),
            trust: trust,
            sha256: certificate.fingerprint
        )
    }
}
