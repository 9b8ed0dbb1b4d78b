/// Why a text is not a key that signs or verifies provider tokens.
///
/// The description contains neither the file name, which only the caller knows, nor any contents of the file.
package struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. New codes may be added.
    package struct Code: Hashable, Sendable {
        let name: String
        /// The file is empty.
        package static let empty = Code(name: "empty")
        /// The file is neither PEM nor a known binary format.
        package static let notPEM = Code(name: "notPEM")
        /// The private key is protected by a passphrase.
        package static let encrypted = Code(name: "encrypted")
        /// An RSA key.
        package static let rsa = Code(name: "rsa")
        /// An elliptic curve other than P-256.
        package static let otherCurve = Code(name: "otherCurve")
        /// A key that is neither elliptic-curve nor RSA.
        package static let otherAlgorithm = Code(name: "otherAlgorithm")
        /// The file is incomplete or damaged.
        package static let damaged = Code(name: "damaged")
        /// The line breaks are missing or written as `\n`, which is common in environment variables.
        package static let lineBreaksLost = Code(name: "lineBreaksLost")
        /// A certificate, as PEM or DER.
        package static let certificate = Code(name: "certificate")
        /// A public key instead of a private key.
        package static let publicKey = Code(name: "publicKey")
        /// A PKCS#12 file: certificate and key in one.
        package static let pkcs12 = Code(name: "pkcs12")
        /// A key in DER instead of PEM.
        package static let der = Code(name: "der")
        /// PEM with other contents.
        package static let otherContents = Code(name: "otherContents")
        /// OpenSSL failed with a valid key.
        package static let failed = Code(name: "failed")
    }

    package let code: Code
    /// What is wrong and what to do, in a sentence.
    package let description: String
    /// What the file is, if it is of use in another place.
    package var found: CredentialFileKind?

    init(_ code: Code, _ description: String, found: CredentialFileKind? = nil) {
        (self.code, self.description, self.found) = (code, description, found)
    }
}

extension KeyError {
    private static let get = "the AuthKey_….p8 of developer.apple.com, Certificates, Identifiers & Profiles, Keys"

    static let empty = KeyError(.empty, "The file is empty: find \(get). Apple allows only one download of a key.")

    static let notPEM = KeyError(
        .notPEM,
        """
        This isn't a key: a key file begins with "-----BEGIN PRIVATE KEY-----" (\(get)).
        """)

    static let encrypted = KeyError(
        .encrypted,
        """
        The private key is encrypted, but Apple's .p8 files aren't: use the downloaded file, or decrypt it \
        with "openssl pkey -in ENCRYPTED -out DECRYPTED".
        """)

    static let rsa = KeyError(
        .rsa,
        """
        This is an RSA key, but provider tokens are signed with P-256 keys: use \(get). \
        (The key of a push certificate belongs with its certificate.)
        """)

    static func otherCurve(_ curve: String?) -> KeyError {
        KeyError(
            .otherCurve,
            """
            This key is for \(curve.map { "the curve \($0)" } ?? "an unnamed curve"), but provider tokens \
            are signed with P-256 keys: use \(get).
            """)
    }

    static func otherAlgorithm(_ name: String) -> KeyError {
        KeyError(
            .otherAlgorithm, "This is a key for \(name), but provider tokens are signed with P-256 keys: use \(get).")
    }

    static func damaged(_ what: String) -> KeyError {
        KeyError(.damaged, "The key is incomplete or damaged (\(what)): copy the original file again.")
    }

    static let lineBreaksLost = KeyError(
        .lineBreaksLost,
        """
        The line breaks of the key are missing, or written as "\\n", which is common in environment variables: \
        restore the lines of the .p8 file.
        """)

    static let certificate = KeyError(
        .certificate,
        """
        This is a certificate, and it has no private key: for provider tokens, use \(get). To send with a \
        certificate, export it together with its key as .p12.
        """, found: .certificate)

    static let publicKey = KeyError(.publicKey, "This is a public key, but signing needs the private key: use \(get).")

    static let pkcs12 = KeyError(
        .pkcs12,
        """
        This is a PKCS#12 file (.p12, .pfx), a certificate with its key: use it as a client certificate. For \
        provider tokens, use \(get).
        """, found: .pkcs12)

    static func der(isPrivate: Bool) -> KeyError {
        KeyError(
            .der,
            isPrivate
                ? """
                This is a private key in DER, but a key is read as PEM: convert it with \
                "openssl pkey -inform DER -in KEY.der -out KEY.pem".
                """
                : """
                This is a public key in DER, but a key is read as PEM: convert it with \
                "openssl pkey -pubin -inform DER -in KEY.der -out KEY.pem". To sign, use \(get).
                """)
    }

    static func otherKind(_ kind: CredentialFileKind) -> KeyError {
        KeyError(.otherContents, "This is \(kind.words), not a key: use \(get).")
    }

    static func otherContents(_ label: String) -> KeyError {
        KeyError(.otherContents, "This is PEM with a \"\(label)\", not with a key: use \(get).")
    }

    static func failed(_ operation: String) -> KeyError {
        KeyError(.failed, "OpenSSL couldn't \(operation) (\(OpenSSLErrorQueue.summary())).")
    }
}
