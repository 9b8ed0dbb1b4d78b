import PushPlatform
internal import PushTime
internal import PushWire

extension PushCredentialsError {
    /// Creates the error for a file, with the name that the caller uses for it.
    init(_ error: IdentityError, name: String) {
        self.init(
            Self.codes[error.code] ?? .unusableIdentity,
            "\(name) can't be used: \(error)", names: error.names, found: error.found)
    }

    private static let codes: [IdentityError.Code: Code] = [
        .noPrivateKey: .noPrivateKey, .keyMismatch: .keyMismatch, .passphraseNeeded: .passphraseNeeded,
        .wrongPassphrase: .wrongPassphrase, .legacyProviderMissing: .unsupportedEncryption,
        .unsupportedAlgorithm: .unsupportedEncryption, .several: .severalIdentities, .noSuchName: .noSuchIdentity,
        .swapped: .swappedFiles,
    ]

    static func expired(_ certificate: PushCertificate, file: String) -> PushCredentialsError {
        PushCredentialsError(
            .expired,
            """
            \(file) has expired: Apple doesn't accept the certificate "\(certificate)" after \
            \(certificate.expires.day). Create a new one at developer.apple.com, Certificates, Identifiers & Profiles.
            """)
    }

    static func wrongEnvironment(_ certificate: PushCertificate, _ environment: PushEnvironment) -> PushCredentialsError
    {
        let taken = certificate.services.map(\.rawValue).sorted().joined(separator: " and ")
        return PushCredentialsError(
            .wrongEnvironment,
            """
            The certificate "\(certificate)" is for the \(taken) environment, but the push is for \(environment): \
            send to the environment of the certificate, or use another certificate.
            """)
    }
}

extension Date {
    /// The date in UTC, for messages: `2026-12-31`.
    var day: String { String(rfc3339.prefix(10)) }
}
