/// Why a payload cannot be sealed or opened. Nothing secret is ever in it.
public struct SealingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// The name of a key is empty, too long, or has other characters than letters, digits, `-` and `_`.
        public static let badKeyID = Code(word: "badKeyID")
        /// A key that has not 256 bits, or is no base64.
        public static let badKey = Code(word: "badKey")
        /// The payload is none that a service extension is shown, or no JSON.
        public static let cannotBeSealed = Code(word: "cannotBeSealed")
        /// The alert that stands in the place of the private one has no text, or a value that Apple would not take.
        public static let badPlaceholder = Code(word: "badPlaceholder")
        /// The system had no random bytes, or OpenSSL failed.
        public static let failed = Code(word: "failed")
        /// There is nothing sealed in the payload.
        public static let notSealed = Code(word: "notSealed")
        /// It was sealed in a way that this version of the library does not know.
        public static let unknownVersion = Code(word: "unknownVersion")
        /// None of the keys has the name that the payload was sealed with.
        public static let unknownKeyID = Code(word: "unknownKeyID")
        /// The key of that name is another one, or the envelope was changed on its way: the two cannot be told apart.
        public static let doesNotOpen = Code(word: "doesNotOpen")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence or two.
    public let description: String
}

extension SealingError {
    static func badKeyID(_ id: String) -> SealingError {
        SealingError(
            code: .badKeyID,
            description: """
                "\(PeerText.printable(String(id.unicodeScalars.prefix(40))))" cannot name a key: use 1 to 32 letters, \
                digits, - and _.
                """)
    }

    static func badKeyLength(_ count: Int) -> SealingError {
        SealingError(
            code: .badKey,
            description: "The key has \(count) bytes and not 32: make one with \"openssl rand -base64 32\".")
    }

    static let noBase64Key = SealingError(
        code: .badKey,
        description: "The key is not base64: make one with \"openssl rand -base64 32\", and give its text as it is.")

    static func cannotBeSealed(_ why: String) -> SealingError {
        SealingError(
            code: .cannotBeSealed,
            description:
                "The payload cannot be sealed: \(why). Seal an alert; only these are opened by a service extension.")
    }

    static let silentPlaceholder = SealingError(
        code: .badPlaceholder,
        description: """
            The alert in the place of the private one has no text, and without one the service extension never runs: give \
            it a title or a body, for example "A new message".
            """)

    static func badPlaceholder(_ cause: PayloadError) -> SealingError {
        SealingError(code: .badPlaceholder, description: "The alert in the place of the private one: \(cause)")
    }

    static let failed = SealingError(
        code: .failed, description: "It could not be sealed: the system has no random bytes, or OpenSSL no AES-GCM.")

    static let notSealed = SealingError(
        code: .notSealed,
        description:
            "Nothing is sealed in the payload: its key \"\(SealedEnvelope.name)\" is not there, or is no envelope.")

    static func unknownVersion(_ version: String) -> SealingError {
        SealingError(
            code: .unknownVersion,
            description: """
                The payload was sealed as version \(PeerText.printable(String(version.unicodeScalars.prefix(20)))), and \
                this library knows \(SealedEnvelope.version) only: use a newer one.
                """)
    }

    static func unknownKeyID(_ id: String) -> SealingError {
        SealingError(
            code: .unknownKeyID,
            description: """
                The payload was sealed with the key "\(PeerText.printable(String(id.unicodeScalars.prefix(40))))", and \
                none that was given has this name: give that one too.
                """)
    }

    static func doesNotOpen(_ id: String) -> SealingError {
        SealingError(
            code: .doesNotOpen,
            description: """
                The key "\(id)" does not open the payload: the sender's key of this name is another one, or the payload \
                was changed on its way.
                """)
    }
}
