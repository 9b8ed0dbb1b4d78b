internal import PushWire

extension MockRequest {
    init(_ received: HTTP2Request) {
        var method = ""
        var path = ""
        var fields: [Field] = []
        fields.reserveCapacity(received.headers.count)
        received.headers.forEach { name, value in
            let value = String(decoding: value, as: UTF8.self)
            guard name.first == UInt8(ascii: ":") else {
                fields.append(Field(String(decoding: name, as: UTF8.self), value))
                return
            }
            if name.elementsEqual(":method".utf8) { method = value }
            if name.elementsEqual(":path".utf8) { path = value }
        }
        self.init(
            method: method,
            path: path,
            fields: fields,
            body: received.body,
            bodyByteCount: received.bodyByteCount
        )
    }
}

extension ClientCertificate {
    init(_ certificate: ProviderCertificate, _ verdict: PeerCertificateVerdict) {
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
            trust: trust
        )
    }
}
