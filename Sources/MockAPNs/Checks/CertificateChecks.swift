import APNSVocabulary
import PushPlatform

extension Check {
    static let certificateTrusted = Check(
        "client certificate", .connection, [.badCertificate],
        """
        APNs answers a client certificate that it does not accept with a GOAWAY with the reason BadCertificate. \
        Apple's page lists this reason with status 403. An expired certificate is refused during the handshake, \
        with an alert.
        """, .observed
    ) { input in
        guard let certificate = input.connection.certificate, input.apns.authentication == .trustedKeys else {
            return nil
        }
        let name = Finding.quote(certificate.commonName)
        let remedy = MockRemedy.trustAuthority
        guard !input.apns.revokedCertificates.contains(certificate.sha256) else {
            return Finding(.badCertificate, "The certificate \(name) was revoked.")
        }
        return switch certificate.trust {
        case .trusted: nil
        case .untrusted:
            Finding(
                .badCertificate, "The mock doesn't trust the issuer of the certificate \(name).", remedy: remedy)
        case .expired: Finding(.badCertificate, "The certificate \(name) has expired.", remedy: remedy)
        case .notForPushes:
            Finding(
                .badCertificate,
                "The certificate \(name) isn't a push certificate: it names no topic, or it is for signing apps.",
                remedy: .acceptAnyCredentials)
        case .notYetValid: Finding(.badCertificate, "The certificate \(name) isn't valid yet.", remedy: remedy)
        }
    }

    static let certificateEnvironment = Check(
        "environment of the certificate", .connection, [.badCertificateEnvironment],
        """
        APNs answers a certificate for the other environment with a GOAWAY with the reason \
        BadCertificateEnvironment. Apple's page lists this reason with status 403.
        """, .observed
    ) { input in
        let environment = input.environment
        guard let certificate = input.connection.certificate, !certificate.environments.contains(environment) else {
            return nil
        }
        return Finding(
            .badCertificateEnvironment,
            """
            The certificate \(Finding.quote(certificate.commonName)) isn't valid for \(environment), which \
            \(input.servedBy).
            """,
            remedy: input.remedyForOtherEnvironment
        )
    }

    static let topicOfCertificate = Check(
        "topic of the certificate", .headers, [.topicDisallowed, .badTopic], setting: "topicOutsideCertificateReason",
        """
        A certificate is valid only for the topics that it names. Other topics get TopicDisallowed according to \
        Apple's pages; another mock answers BadTopic.
        """, .guess
    ) { input in
        guard let certificate = input.connection.certificate, let topic = input.topic else { return nil }
        guard !certificate.topics.isEmpty, !certificate.topics.contains(topic) else { return nil }
        return Finding(
            input.apns.variants.topicOutsideCertificateReason,
            """
            The certificate is for \(certificate.topics.map(Finding.quote).joined(separator: ", ")), not for \
            \(Finding.quote(topic)).
            """
        )
    }

    static let pushTypeOfCertificate = Check(
        "push type of the certificate", .headers, [.topicDisallowed],
        """
        Live Activities and location pushes need a provider token. With a certificate, Live Activities were \
        observed to get TopicDisallowed; Apple's pages exclude location pushes.
        """, .observed
    ) { input in
        guard input.connection.certificate != nil, let type = input.pushType,
            type == .liveactivity || type == .location
        else { return nil }
        return Finding(.topicDisallowed, "Push type \(type) was sent with a client certificate.")
    }

    static let mdmOfCertificate = Check(
        "mdm of the certificate", .headers, [.topicDisallowed], setting: "mdmWithoutMDMCertificateReason",
        """
        An mdm push needs the MDM certificate, whose topic begins with com.apple.mgmt. TopicDisallowed for the \
        certificate of an app is a guess.
        """, .guess
    ) { input in
        guard let reason = input.apns.variants.mdmWithoutMDMCertificateReason, input.connection.certificate != nil,
            input.request.pushType == .mdm, let topic = input.topic, SpecialTopic(topic) != .management
        else { return nil }
        return Finding(reason, "An mdm push was sent with a certificate for \(Finding.quote(topic)).")
    }
}

extension APNSState {
    /// Checks the client certificate of a connection, before any request.
    ///
    /// - Parameter connection: The connection after its handshake.
    /// - Returns: The finding of the first check of the connection that fails; `nil` if all succeed.
    func finding(on connection: ConnectionFacts) -> Finding? {
        guard connection.certificate != nil else { return nil }
        let nothing = MockRequest(method: "", path: "", fields: [], body: [], bodyByteCount: 0)
        let input = CheckInput(
            request: nothing, reading: .absent, connection: connection, snapshot: APNSSnapshot(self),
            now: Date(timeIntervalSince1970: 0))
        return CheckOrder.ofConnections.firstFailure(input)?.finding
    }
}
