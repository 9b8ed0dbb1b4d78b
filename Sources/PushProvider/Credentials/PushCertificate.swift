package import PushPlatform
internal import PushWire

/// The contents of a certificate: its name, its kind, its environments, its topics and its expiration.
///
/// Only Apple's servers know whether Apple issued or revoked it. The texts are from the file; control characters in
/// them are replaced.
package struct PushCertificate: Sendable, Hashable, CustomStringConvertible {
    /// The name of the subject, for example `Apple Push Services: com.example.app`; empty if it has none.
    package let commonName: String
    /// The purpose of the certificate in a few words, from the beginning of its name.
    package let kind: String
    /// Whether a certificate of this kind can send pushes. Certificates that sign apps look similar, but cannot.
    package let sendsPushes: Bool
    /// The services that accept it: from its extensions, otherwise from its kind; both services if neither is known.
    package let services: Set<PushEnvironment.AppleService>
    /// Whether the certificate itself contains its services.
    package let saysService: Bool
    /// The topics that it may send to, in its order; empty if it has none.
    package let topics: [String]
    /// The team that it is for: the organizational unit of the subject.
    package let teamID: String?
    package let validFrom: Date
    package let expires: Date
    /// SHA-256 of the whole certificate, in hex.
    package let fingerprint: String

    init(_ certificate: ProviderCertificate) {
        commonName = certificate.commonName
        kind = certificate.kind.name
        sendsPushes = certificate.kind.sendsPushes
        services = Set(certificate.environments.map { $0 == .sandbox ? .sandbox : .production })
        saysService = certificate.saysEnvironment
        topics = certificate.topics
        teamID = certificate.teamID
        validFrom = Date(timeIntervalSince1970: TimeInterval(certificate.notBefore))
        expires = Date(timeIntervalSince1970: TimeInterval(certificate.notAfter))
        fingerprint = certificate.fingerprint
    }

    /// Returns the number of whole days until it expires; negative if it has expired.
    ///
    /// - Parameter now: The current time.
    /// - Returns: 0 on its last day.
    package func daysLeft(at now: Date = Date()) -> Int {
        Int((expires.timeIntervalSince(now) / 86400).rounded(.down))
    }

    /// Whether an environment accepts the certificate; `true` for hosts that are not Apple's.
    ///
    /// - Parameter environment: The environment to send to.
    /// - Returns: `false` only if the certificate is for another service.
    package func isTaken(by environment: PushEnvironment) -> Bool {
        environment.appleService.map(services.contains) ?? true
    }

    /// The ``kind`` of certificates that issue other certificates.
    package static let authorityKind = ProviderCertificate.Kind.authority.name

    package var description: String { commonName.isEmpty ? "a certificate without a name" : commonName }
}

extension PushCertificate {
    /// Returns the topic for a notification without one: the only topic of the certificate, or its only topic for the
    /// push type. Apple's usual certificate has an app's topics for alerts, calls and complications.
    ///
    /// - Parameter pushType: The push type of the notification.
    /// - Returns: A topic of the certificate; `nil` if none or more than one matches.
    package func topic(for pushType: PushType) -> String? {
        if topics.count == 1 { return topics[0] }
        let wanted = pushType.topicSuffix == "" ? nil : pushType
        let fitting = topics.filter { PushType.type(ofTopic: $0) == wanted }
        return fitting.count == 1 ? fitting[0] : nil
    }
}

extension PushEnvironment {
    func makeContext(_ identity: PushIdentity? = nil) throws(PushCredentialsError) -> TLSContext {
        do throws(TLSError) {
            let trust: TLSContext.Trust =
                switch self.trust {
                case .apple: .system
                case .authorities(let pem): .authorities(pem: pem)
                }
            return try TLSContext(trust: trust, identity: identity?.identity, requiresALPN: requiresALPN)
        } catch {
            if error.code == .unusableIdentity {
                throw PushCredentialsError(.unusableIdentity, "The certificate can't be used: \(error.detail).")
            }
            throw PushCredentialsError(.unusableAuthorities, "The trusted authorities can't be used: \(error.detail).")
        }
    }
}

extension PushEnvironment.Trust {
    /// Trusts only the authorities in a PEM text, for example the authority of a mock.
    ///
    /// - Parameter pem: The text, with one or more certificates.
    /// - Returns: Trust in these authorities.
    public static func authorities(pem: String) -> PushEnvironment.Trust { .authorities(pem: Array(pem.utf8)) }

    /// Trusts only the authorities of a CA file.
    ///
    /// - Parameter path: The path of a PEM file.
    /// - Returns: Trust in these authorities.
    /// - Throws: ``PushCredentialsError`` if the file cannot be read, or has no certificate in PEM.
    public static func authorities(file path: String) throws(PushCredentialsError) -> PushEnvironment.Trust {
        let file = try KeyFile(path: path)
        let kind = CredentialFileKind(file.bytes)
        guard kind != .certificate, kind != .identity else { return .authorities(pem: file.bytes) }
        let advice =
            switch kind {
            case .certificateDER:
                "It is a certificate in DER: convert it with \"openssl x509 -inform DER -in CA.cer -out CA.pem\"."
            case let kind?: "It is \(kind.words)."
            case nil: "Such a certificate begins with -----BEGIN CERTIFICATE-----."
            }
        throw PushCredentialsError(.unusableAuthorities, "\"\(path)\" has no PEM certificate. \(advice)")
    }
}
