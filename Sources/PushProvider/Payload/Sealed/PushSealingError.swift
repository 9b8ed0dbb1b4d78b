/// Why a payload cannot be sealed or opened. The error never contains a secret.
public struct PushSealingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong. Later versions may add codes.
    public struct Code: Hashable, Sendable {
        let name: String
        /// The name of a key is empty, longer than 32 characters, or has other characters than letters, digits, `-` and
        /// `_`.
        public static let badKeyID = Code(name: "badKeyID")
        /// The key does not have 256 bits, or is not base64.
        public static let badKey = Code(name: "badKey")
        /// The payload is not JSON, or is not for push type `alert`, so no service extension gets it.
        public static let cannotBeSealed = Code(name: "cannotBeSealed")
        /// The placeholder has no text, or has a value that Apple does not accept.
        public static let badPlaceholder = Code(name: "badPlaceholder")
        /// The system has no random bytes, or OpenSSL failed.
        public static let failed = Code(name: "failed")
        /// The payload is not sealed.
        public static let notSealed = Code(name: "notSealed")
        /// This version of the library does not support the version of the envelope.
        public static let unknownVersion = Code(name: "unknownVersion")
        /// No key has the name in the envelope.
        public static let unknownKeyID = Code(name: "unknownKeyID")
        /// The key with this name is a different key, or the envelope was changed. These two cases cannot be
        /// distinguished.
        public static let doesNotOpen = Code(name: "doesNotOpen")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence or two.
    public let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }
}

extension PushSealingError {
    static func badKeyID(_ id: String) -> PushSealingError {
        PushSealingError(
            .badKeyID,
            """
            "\(PeerText.printable(id, atMost: 40))" can't name a key: use 1 to 32 letters, \
            digits, - and _.
            """)
    }

    static func badKeyLength(_ count: Int) -> PushSealingError {
        PushSealingError(.badKey, "The key is \(count) bytes, not 32: create one with \"openssl rand -base64 32\".")
    }

    static let noBase64Key = PushSealingError(
        .badKey, "The key isn't base64: create one with \"openssl rand -base64 32\", and give its whole output.")

    static func cannotBeSealed(_ why: String) -> PushSealingError {
        PushSealingError(
            .cannotBeSealed,
            "The payload can't be sealed: \(why). Seal an alert: a service extension opens only alerts.")
    }

    static let silentPlaceholder = PushSealingError(
        .badPlaceholder,
        """
        The placeholder has no text, and without a text the service extension doesn't run: give it a title or a \
        body, for example "A new message".
        """)

    static func badPlaceholder(_ cause: PushPayloadError) -> PushSealingError {
        PushSealingError(.badPlaceholder, "The placeholder can't be used: \(cause)")
    }

    static let failed = PushSealingError(
        .failed, "The payload can't be sealed: the system has no random bytes, or OpenSSL has no AES-GCM.")

    static let notSealed = PushSealingError(
        .notSealed, "The payload isn't sealed: its key \"\(SealedEnvelope.name)\" is missing, or isn't an envelope.")

    static func unknownVersion(_ version: String) -> PushSealingError {
        PushSealingError(
            .unknownVersion,
            """
            The payload was sealed as version \(PeerText.printable(version, atMost: 20)), \
            but this library supports only version \(SealedEnvelope.version): use a newer version of the library.
            """)
    }

    static func unknownKeyID(_ id: String) -> PushSealingError {
        PushSealingError(
            .unknownKeyID,
            """
            The payload was sealed with the key "\(PeerText.printable(id, atMost: 40))", but \
            no given key has this name: give that key too.
            """)
    }

    static func doesNotOpen(_ id: String) -> PushSealingError {
        PushSealingError(
            .doesNotOpen,
            """
            The key "\(id)" doesn't open the payload: the sender has a different key with this name, or the \
            payload was changed in transit.
            """)
    }
}
