/// Why a text is not a key that signs or verifies provider tokens.
///
/// The sentence names neither the file, which only the caller knows, nor any of its contents.
package struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    package struct Code: Hashable, Sendable {
        let word: String
        /// There is nothing.
        package static let empty = Code(word: "empty")
        /// Neither PEM nor one of the binary forms that are told apart.
        package static let notPEM = Code(word: "notPEM")
        /// The private key is protected by a passphrase.
        package static let encrypted = Code(word: "encrypted")
        /// An RSA key.
        package static let rsa = Code(word: "rsa")
        /// An elliptic curve other than P-256.
        package static let otherCurve = Code(word: "otherCurve")
        /// A key that is neither elliptic-curve nor RSA.
        package static let otherAlgorithm = Code(word: "otherAlgorithm")
        /// Cut off, or changed on its way.
        package static let damaged = Code(word: "damaged")
        /// The line breaks are gone or written as `\n`, as happens in environment variables.
        package static let lineBreaksLost = Code(word: "lineBreaksLost")
        /// A certificate, as PEM or DER.
        package static let certificate = Code(word: "certificate")
        /// A public key where a private one is needed.
        package static let publicKey = Code(word: "publicKey")
        /// A PKCS#12 file: certificate and key in one.
        package static let pkcs12 = Code(word: "pkcs12")
        /// A key in DER instead of PEM.
        package static let der = Code(word: "der")
        /// PEM, but of something else.
        package static let otherContents = Code(word: "otherContents")
        /// OpenSSL failed with a key that is in order.
        package static let failed = Code(word: "failed")
    }

    package let code: Code
    /// What is wrong and what to do, in a sentence.
    package let description: String
}

extension KeyError {
    private static let get = "the AuthKey_….p8 of developer.apple.com, Certificates, Identifiers & Profiles, Keys"

    static let empty = KeyError(
        code: .empty, description: "There is nothing in it: Apple lets a key be downloaded once, so look for \(get).")

    static let notPEM = KeyError(
        code: .notPEM,
        description: """
            This is not a key: a key file is a text that begins with "-----BEGIN PRIVATE KEY-----" (\(get)).
            """
    )

    static let encrypted = KeyError(
        code: .encrypted,
        description: """
            The private key is encrypted, and Apple's .p8 files are not: use the file as downloaded, or decrypt it \
            once with "openssl pkey -in ENCRYPTED -out DECRYPTED".
            """
    )

    static let rsa = KeyError(
        code: .rsa,
        description: """
            This is an RSA key, and provider tokens are signed with P-256 keys: use \(get). \
            (The key of a push certificate belongs with its certificate.)
            """
    )

    static func otherCurve(_ curve: String?) -> KeyError {
        KeyError(
            code: .otherCurve,
            description: """
                This key lies on \(curve.map { "the curve \($0)" } ?? "a curve without a name"), and provider tokens \
                are signed on P-256: use \(get).
                """
        )
    }

    static func otherAlgorithm(_ name: String) -> KeyError {
        KeyError(
            code: .otherAlgorithm,
            description: "This is a key for \(name), and provider tokens are signed with P-256 keys: use \(get)."
        )
    }

    static func damaged(_ what: String) -> KeyError {
        KeyError(
            code: .damaged,
            description: "The key is cut off or damaged (\(what)): copy the file again, as Apple gave it."
        )
    }

    static let lineBreaksLost = KeyError(
        code: .lineBreaksLost,
        description: """
            The key has lost its line breaks, as happens in environment variables (perhaps they read "\\n" now): \
            each of the lines that the .p8 has must be a line again.
            """
    )

    static let certificate = KeyError(
        code: .certificate,
        description: """
            This is a certificate and holds no private key: for provider tokens use \(get); to send with a \
            certificate, export it together with its key as .p12.
            """
    )

    static let publicKey = KeyError(
        code: .publicKey,
        description: "This is a public key, and signing needs the private one: use \(get)."
    )

    static let pkcs12 = KeyError(
        code: .pkcs12,
        description: """
            This is a PKCS#12 file (.p12, .pfx), a certificate with its key: it is used as a client certificate; for \
            provider tokens use \(get).
            """
    )

    static let der = KeyError(
        code: .der,
        description: """
            This is a binary file, perhaps a key in DER: turn a key into PEM with \
            "openssl pkey -inform DER -in KEY.der -out KEY.pem" (add -pubin for a public one).
            """
    )

    static func otherContents(_ label: String) -> KeyError {
        KeyError(
            code: .otherContents, description: "This is PEM, but of a \"\(label)\" and not of a key: use \(get).")
    }

    static func failed(_ operation: String) -> KeyError {
        KeyError(code: .failed, description: "OpenSSL could not \(operation) (\(OpenSSLErrorQueue.summary())).")
    }
}
