internal import PushWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a certificate says about itself: its name, its kind, where and for what it is taken, until when.
///
/// Whether Apple has issued it, or has revoked it, only Apple's servers know. The texts come out of the file; control
/// characters in them are replaced.
public struct PushCertificate: Sendable, Hashable, CustomStringConvertible {
    /// A service of Apple's for which a certificate is made.
    public typealias Service = PushEnvironment.AppleService

    /// The name of the subject, for example `Apple Push Services: com.example.app`; empty when it has none.
    public let commonName: String
    /// What it is for, in a few words, told from the beginning of its name.
    public let kind: String
    /// Whether it is of a kind that is known.
    public let isKnownKind: Bool
    /// Whether it is of a kind with which pushes can be sent: certificates that sign apps look much the same.
    public let sendsPushes: Bool
    /// Where it is taken: by its extensions, else by its kind; both when neither says.
    public let services: Set<Service>
    /// Whether the certificate itself says where it is taken.
    public let saysService: Bool
    /// The topics to which it may send, in its order; empty when it names none.
    public let topics: [String]
    /// The team that it is for: the organizational unit of the subject.
    public let teamID: String?
    /// The organization of the subject.
    public let organization: String?
    /// The name of whoever issued it.
    public let issuer: String
    /// It is valid from here.
    public let validFrom: Date
    /// It is valid until here.
    public let expires: Date
    /// SHA-256 of the whole certificate, in hex.
    public let fingerprint: String

    init(_ certificate: ProviderCertificate) {
        commonName = certificate.commonName
        kind = certificate.kind.name
        isKnownKind = certificate.kind != .unknown
        sendsPushes = certificate.kind.sendsPushes
        services = Set(certificate.environments.map { $0 == .sandbox ? .sandbox : .production })
        saysService = certificate.saysEnvironment
        topics = certificate.topics
        teamID = certificate.teamID
        organization = certificate.organization
        issuer = certificate.issuer
        validFrom = Date(timeIntervalSince1970: TimeInterval(certificate.notBefore))
        expires = Date(timeIntervalSince1970: TimeInterval(certificate.notAfter))
        fingerprint = certificate.fingerprint
    }

    /// The whole days that are left; negative when it has expired.
    ///
    /// - Parameter now: The time from which to count.
    /// - Returns: 0 on its last day.
    public func daysLeft(at now: Date = Date()) -> Int {
        Int((expires.timeIntervalSince(now) / 86400).rounded(.down))
    }

    /// Whether it is taken where an environment points; true for hosts that are not Apple's.
    ///
    /// - Parameter environment: Where one wants to send.
    /// - Returns: False for a contradiction only.
    public func isTaken(by environment: PushEnvironment) -> Bool {
        environment.appleService.map(services.contains) ?? true
    }

    /// Its common name.
    public var description: String { commonName.isEmpty ? "a certificate without a name" : commonName }
}

extension PushCertificate {
    /// The certificates of a file, PEM or DER (`.cer`), without their keys.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: At least one, in the order of the file.
    /// - Throws: ``CredentialsError``.
    public static func list(file path: String) throws(CredentialsError) -> [PushCertificate] {
        var file = try KeyFile(path: path)
        defer { SecretBytes.wipe(&file.bytes) }
        return try list(contents: file.bytes, name: "\"\(path)\"")
    }
}

extension PushCertificate {
    /// The topic of notifications that name none: the only one of the certificate, or the only one of several that is
    /// made for the push type. Apple's usual certificate lists an app's topics for alerts, calls and complications.
    ///
    /// - Parameter pushType: What is to be sent.
    /// - Returns: A topic of the certificate, or `nil` when it has none or more than one would do.
    public func topic(for pushType: PushType) -> String? {
        if topics.count == 1 { return topics[0] }
        let wanted = pushType.topicSuffix == "" ? nil : pushType
        let fitting = topics.filter { PushType.type(ofTopic: $0) == wanted }
        return fitting.count == 1 ? fitting[0] : nil
    }
}
