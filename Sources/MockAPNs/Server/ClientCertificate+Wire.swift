internal import PushWire

extension ClientCertificate {
    init(_ certificate: ProviderCertificate, _ verdict: PeerCertificateResult) {
        let trust: Trust =
            switch verdict {
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
