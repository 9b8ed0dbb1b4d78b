/// Why credentials cannot be used. Nothing of a key's contents is ever in it.
public struct CredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// The file does not exist.
        public static let noSuchFile = Code(word: "noSuchFile")
        /// The file exists and cannot be read.
        public static let unreadableFile = Code(word: "unreadableFile")
        /// What is in the file is no key that signs provider tokens.
        public static let unusableKey = Code(word: "unusableKey")
        /// The key id is not one.
        public static let badKeyID = Code(word: "badKeyID")
        /// The team id is not one.
        public static let badTeamID = Code(word: "badTeamID")
        /// Key id and team id have changed places.
        public static let swappedIDs = Code(word: "swappedIDs")
        /// A file of trusted authorities cannot be used.
        public static let unusableAuthorities = Code(word: "unusableAuthorities")
        /// What is in the file is no certificate with its key.
        public static let unusableIdentity = Code(word: "unusableIdentity")
        /// There is a certificate without its private key.
        public static let noPrivateKey = Code(word: "noPrivateKey")
        /// The private key is not the certificate's.
        public static let keyMismatch = Code(word: "keyMismatch")
        /// The file is encrypted, and no passphrase was given.
        public static let passphraseNeeded = Code(word: "passphraseNeeded")
        /// The passphrase is not the one of the file.
        public static let wrongPassphrase = Code(word: "wrongPassphrase")
        /// The file is encrypted in a way that this machine's OpenSSL does not read.
        public static let unsupportedEncryption = Code(word: "unsupportedEncryption")
        /// There are several identities in the file, and none was named: see ``CredentialsError/names``.
        public static let severalIdentities = Code(word: "severalIdentities")
        /// No identity in the file has the name, or more than one: see ``CredentialsError/names``.
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
    /// The identities in the file, where one of them has to be chosen.
    public let names: [String]

    init(code: Code, description: String, names: [String] = []) {
        self.code = code
        self.description = description
        self.names = names
    }
}
