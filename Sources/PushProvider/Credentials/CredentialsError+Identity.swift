internal import PushWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CredentialsError {
    /// Of a file, by the name that the caller knows it by.
    init(_ error: IdentityError, name: String) {
        self.init(
            code: Self.codes[error.code] ?? .unusableIdentity,
            description: "\(name) cannot be used: \(error)", names: error.names)
    }

    private static let codes: [IdentityError.Code: Code] = [
        .noPrivateKey: .noPrivateKey, .keyMismatch: .keyMismatch, .passphraseNeeded: .passphraseNeeded,
        .wrongPassphrase: .wrongPassphrase, .legacyProviderMissing: .unsupportedEncryption,
        .unsupportedAlgorithm: .unsupportedEncryption, .several: .severalIdentities, .noSuchName: .noSuchIdentity,
    ]

    static func expired(_ certificate: PushCertificate, file: String) -> CredentialsError {
        CredentialsError(
            code: .expired,
            description: """
                \(file) has expired: the certificate "\(certificate)" ended on \(certificate.expires.day), and Apple \
                takes it no more. Have a new one made at developer.apple.com, Certificates, Identifiers & Profiles.
                """
        )
    }

    static func wrongEnvironment(_ certificate: PushCertificate, _ environment: PushEnvironment) -> CredentialsError {
        let taken = certificate.services.map(\.rawValue).sorted().joined(separator: " and ")
        return CredentialsError(
            code: .wrongEnvironment,
            description: """
                The certificate "\(certificate)" is for the \(taken) environment, and \(environment) is not: send \
                there, or use a certificate for this one.
                """
        )
    }
}

extension Date {
    /// In UTC, for sentences: `2026-12-31`.
    var day: String { formatted(Date.ISO8601FormatStyle().year().month().day()) }
}
