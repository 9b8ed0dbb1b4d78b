import PushPlatform
internal import PushTime
package import PushWire

/// Why credentials cannot be used. The error never contains key material.
public struct PushCredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong. New codes may be added.
    public struct Code: Hashable, Sendable {
        let name: String
        /// The file does not exist.
        public static let noSuchFile = Code(name: "noSuchFile")
        /// The file exists, but cannot be read.
        public static let unreadableFile = Code(name: "unreadableFile")
        /// The file is not a key for provider tokens.
        public static let unusableKey = Code(name: "unusableKey")
        /// The key id is invalid.
        public static let badKeyID = Code(name: "badKeyID")
        /// The team id is invalid.
        public static let badTeamID = Code(name: "badTeamID")
        /// Key id and team id are swapped.
        public static let swappedIDs = Code(name: "swappedIDs")
        /// A file of trusted authorities cannot be used.
        public static let unusableAuthorities = Code(name: "unusableAuthorities")
        /// The file is not a certificate with its key.
        public static let unusableIdentity = Code(name: "unusableIdentity")
        /// The file has a certificate without its private key.
        public static let noPrivateKey = Code(name: "noPrivateKey")
        /// The private key does not belong to the certificate.
        public static let keyMismatch = Code(name: "keyMismatch")
        /// The file is encrypted, and no passphrase was given.
        public static let passphraseNeeded = Code(name: "passphraseNeeded")
        /// The passphrase is wrong.
        public static let wrongPassphrase = Code(name: "wrongPassphrase")
        /// The OpenSSL on this machine does not support the encryption of the file.
        public static let unsupportedEncryption = Code(name: "unsupportedEncryption")
        /// The file has several identities, and no name was given: see ``PushCredentialsError/names``.
        public static let severalIdentities = Code(name: "severalIdentities")
        /// No identity in the file has the name, or more than one has it: see ``PushCredentialsError/names``.
        public static let noSuchIdentity = Code(name: "noSuchIdentity")
        /// The file for the certificate has the key, and the file for the key has the certificate.
        public static let swappedFiles = Code(name: "swappedFiles")
        /// The certificate has expired.
        public static let expired = Code(name: "expired")
        /// The certificate is for another environment.
        public static let wrongEnvironment = Code(name: "wrongEnvironment")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence or two.
    public let description: String
    /// The names of the identities in the file, if the caller must choose one.
    public let names: [String]
    /// What the file is, if it is of use in another place. Programs say where.
    package let found: CredentialFileKind?

    init(_ code: Code, _ description: String, names: [String] = [], found: CredentialFileKind? = nil) {
        self.code = code
        self.description = description
        self.names = names
        self.found = found
    }
}

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
