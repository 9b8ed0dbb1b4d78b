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
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence or two.
    public let description: String
}
