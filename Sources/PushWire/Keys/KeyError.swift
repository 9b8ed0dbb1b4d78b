/// Why a text is not a key that signs or verifies provider tokens.
///
/// The description contains neither the file name, which only the caller knows, nor any contents of the file.
package struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// What the file is, if it is of use in another place.
    package var found: CredentialFileKind?

    init(_ description: String, found: CredentialFileKind? = nil) {
        (self.description, self.found) = (description, found)
    }
}

extension KeyError {
    private static let get = "the AuthKey_….p8 of developer.apple.com, Certificates, Identifiers & Profiles, Keys"

    static let empty = KeyError("The file is empty: find \(get). Apple allows only one download of a key.")

    static let notPEM = KeyError(
        """
        This isn't a key: a key file begins with "-----BEGIN PRIVATE KEY-----" (\(get)).
        """)

    static let encrypted = KeyError(
        """
        The private key is encrypted, but Apple's .p8 files aren't: use the downloaded file, or decrypt it \
        with "openssl pkey -in ENCRYPTED -out DECRYPTED".
        """)

    static let rsa = KeyError(
        """
        This is an RSA key, but provider tokens are signed with P-256 keys: use \(get). \
        (The key of a push certificate belongs with its certificate.)
        """)

    static func otherCurve(_ curve: String?) -> KeyError {
        KeyError(
            """
            This key is for \(curve.map { "the curve \($0)" } ?? "an unnamed curve"), but provider tokens \
            are signed with P-256 keys: use \(get).
            """)
    }

    static func otherAlgorithm(_ name: String) -> KeyError {
        KeyError(
            "This is a key for \(name), but provider tokens are signed with P-256 keys: use \(get).")
    }

    static func damaged(_ what: String) -> KeyError {
        KeyError("The key is incomplete or damaged (\(what)): copy the original file again.")
    }

    static let lineBreaksLost = KeyError(
        """
        The line breaks of the key are missing, or written as "\\n", which is common in environment variables: \
        restore the lines of the .p8 file.
        """)

    static let certificate = KeyError(
        """
        This is a certificate, and it has no private key: for provider tokens, use \(get). To send with a \
        certificate, export it together with its key as .p12.
        """, found: .certificate)

    static let publicKey = KeyError("This is a public key, but signing needs the private key: use \(get).")

    static let pkcs12 = KeyError(
        """
        This is a PKCS#12 file (.p12, .pfx), a certificate with its key: use it as a client certificate. For \
        provider tokens, use \(get).
        """, found: .pkcs12)

    static func der(isPrivate: Bool) -> KeyError {
        KeyError(
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
        KeyError("This is \(kind.words), not a key: use \(get).")
    }

    static func otherContents(_ label: String) -> KeyError {
        KeyError("This is PEM with a \"\(label)\", not with a key: use \(get).")
    }

    static func failed(_ operation: String) -> KeyError {
        KeyError("OpenSSL couldn't \(operation) (\(OpenSSLErrorQueue.summary())).")
    }
}
