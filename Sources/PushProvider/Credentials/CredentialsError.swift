/// Why credentials cannot be used. The error never contains key material.
public struct CredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong. New codes may be added.
    public struct Code: Hashable, Sendable {
        let word: String
        /// The file does not exist.
        public static let noSuchFile = Code(word: "noSuchFile")
        /// The file exists, but cannot be read.
        public static let unreadableFile = Code(word: "unreadableFile")
        /// The file is not a key for provider tokens.
        public static let unusableKey = Code(word: "unusableKey")
        /// The key id is invalid.
        public static let badKeyID = Code(word: "badKeyID")
        /// The team id is invalid.
        public static let badTeamID = Code(word: "badTeamID")
        /// Key id and team id are swapped.
        public static let swappedIDs = Code(word: "swappedIDs")
        /// A file of trusted authorities cannot be used.
        public static let unusableAuthorities = Code(word: "unusableAuthorities")
        /// The file is not a certificate with its key.
        public static let unusableIdentity = Code(word: "unusableIdentity")
        /// The file has a certificate without its private key.
        public static let noPrivateKey = Code(word: "noPrivateKey")
        /// The private key does not belong to the certificate.
        public static let keyMismatch = Code(word: "keyMismatch")
        /// The file is encrypted, and no passphrase was given.
        public static let passphraseNeeded = Code(word: "passphraseNeeded")
        /// The passphrase is wrong.
        public static let wrongPassphrase = Code(word: "wrongPassphrase")
        /// The OpenSSL on this machine does not support the encryption of the file.
        public static let unsupportedEncryption = Code(word: "unsupportedEncryption")
        /// The file has several identities, and no name was given: see ``CredentialsError/names``.
        public static let severalIdentities = Code(word: "severalIdentities")
        /// No identity in the file has the name, or more than one has it: see ``CredentialsError/names``.
        public static let noSuchIdentity = Code(word: "noSuchIdentity")
        /// The certificate has expired.
        public static let expired = Code(word: "expired")
        /// The certificate is for another environment.
        public static let wrongEnvironment = Code(word: "wrongEnvironment")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence or two.
    public let description: String
    /// The names of the identities in the file, if the caller must choose one.
    public let names: [String]

    init(code: Code, description: String, names: [String] = []) {
        self.code = code
        self.description = description
        self.names = names
    }
}
