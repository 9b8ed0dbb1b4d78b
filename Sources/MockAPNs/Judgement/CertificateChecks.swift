import APNSVocabulary

extension Check {
    static let certificateTrusted = Check(
        "client certificate", .connection,
        Fact(
            """
            A client certificate that APNs does not accept ends the connection with a GOAWAY that says BadCertificate; \
            Apple's page has the word as a 403. One that has expired is refused during the handshake by an alert.
            """,
            .observed
        )
    ) { hearing in
        guard let certificate = hearing.connection.certificate, hearing.world.authentication == .trustedKeys else {
            return nil
        }
        let name = Finding.quote(certificate.commonName)
        let remedy = MockRemedy.trustAuthority
        return switch certificate.trust {
        case .trusted: nil
        case .untrusted:
            Finding(.badCertificate, "The certificate \(name) comes from nobody that the mock trusts.", remedy: remedy)
        case .expired: Finding(.badCertificate, "The certificate \(name) has expired.", remedy: remedy)
        case .notForPushes:
            Finding(
                .badCertificate, "The certificate \(name) is no push certificate: it names no topic, or signs apps.",
                remedy: .acceptAnyCredentials)
        case .notYetValid: Finding(.badCertificate, "The certificate \(name) is not in force yet.", remedy: remedy)
        }
    }

    static let certificateEnvironment = Check(
        "environment of the certificate", .connection,
        Fact(
            """
            A certificate of the other environment ends the connection with a GOAWAY that says \
            BadCertificateEnvironment; Apple's page has the word as a 403.
            """,
            .observed
        )
    ) { hearing in
        let environment = hearing.world.environment
        guard let certificate = hearing.connection.certificate, !certificate.environments.contains(environment) else {
            return nil
        }
        return Finding(
            .badCertificateEnvironment,
            """
            The certificate \(Finding.quote(certificate.commonName)) is not for \(environment), which this mock stands \
            in for.
            """,
            remedy: .simulateEnvironment(environment == .sandbox ? .production : .sandbox)
        )
    }

    static let topicOfCertificate = Check(
        "topic of the certificate", .headers,
        Fact(
            """
            A certificate sends to the topics that it names and to no others; that these get TopicDisallowed is what \
            the pages say, another mock says BadTopic.
            """,
            .guess
        )
    ) { hearing in
        guard let certificate = hearing.connection.certificate, let topic = hearing.topic else { return nil }
        guard !certificate.topics.isEmpty, !certificate.topics.contains(topic) else { return nil }
        return Finding(
            hearing.world.variants.topicOutsideCertificateReason,
            """
            The certificate is for \(certificate.topics.map(Finding.quote).joined(separator: ", ")), not for \
            \(Finding.quote(topic)).
            """
        )
    }

    static let pushTypeOfCertificate = Check(
        "push type of the certificate", .headers,
        Fact(
            """
            Live Activities and location pushes need a provider token: the first were seen to get TopicDisallowed over a \
            certificate, the second the pages exclude.
            """,
            .observed
        )
    ) { hearing in
        guard hearing.connection.certificate != nil, let type = hearing.pushType,
            type == .liveactivity || type == .location
        else { return nil }
        return Finding(.topicDisallowed, "Push type \(type) came over a client certificate.")
    }
}

extension Check {
    static let mdmOfCertificate = Check(
        "mdm of the certificate", .headers,
        Fact(
            """
            An mdm push goes over the MDM certificate, whose topic begins with com.apple.mgmt; that it gets TopicDisallowed \
            over the certificate of an app is guessed.
            """,
            .guess
        )
    ) { hearing in
        guard hearing.connection.certificate != nil, hearing.request.pushType == .mdm, let topic = hearing.topic,
            !topic.hasPrefix("com.apple.mgmt.")
        else { return nil }
        return Finding(.topicDisallowed, "An mdm push came over a certificate for \(Finding.quote(topic)).")
    }
}

extension World {
    /// What the mock says to a connection whose client certificate it does not accept, before any request.
    ///
    /// - Parameter connection: The connection, its handshake complete.
    /// - Returns: The first objection of the checks of the connection, with the check behind it; `nil` when the
    ///   connection may go on.
    func objection(to connection: ConnectionFacts) -> (check: Check, finding: Finding)? {
        guard connection.certificate != nil else { return nil }
        let nothing = MockRequest(method: "", path: "", fields: [], body: [], bodyByteCount: 0)
        let hearing = Hearing(
            request: nothing, reading: .absent, connection: connection, world: self,
            now: Moment(secondsSince1970: 0))
        for check in Check.table where check.stage == .connection {
            if let finding = check.objection(hearing) { return (check, finding) }
        }
        return nil
    }
}
