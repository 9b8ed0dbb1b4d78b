/// Why a file cannot be used as a client identity, or why no identity in it can be chosen.
///
/// The description contains neither the file name, which only the caller knows, nor any key or passphrase.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case empty
        case tooLarge
        case unknownFile
        case damaged
        /// The file is PEM instead of PKCS#12.
        case pem
        /// The file is PKCS#12 instead of PEM.
        case pkcs12
        /// The file has other contents: a certificate request, a profile, a key alone.
        case otherContents
        case noPrivateKey
        /// A private key without its certificate.
        case noCertificate
        /// The private key does not belong to the certificate.
        case keyMismatch
        /// The file is encrypted, and no passphrase was given.
        case passphraseNeeded
        case wrongPassphrase
        /// The file uses an old encryption, and OpenSSL's legacy provider is not installed.
        case legacyProviderMissing
        /// OpenSSL does not support the encryption of the file.
        case unsupportedAlgorithm
        /// The file has several identities, and no name was given.
        case several
        /// No identity has the name, or more than one identity has it.
        case noSuchName
        /// The file for the certificate has the key, and the file for the key has the certificate.
        case swapped
    }

    package let code: Code
    /// What is wrong and what to do, in a sentence or two.
    package let description: String
    /// The names of the identities, if the caller must choose one.
    package var names: [String]
    /// What the file is, if it is of use in another place.
    package var found: CredentialFileKind?

    init(_ code: Code, _ description: String, names: [String] = [], found: CredentialFileKind? = nil) {
        (self.code, self.description, self.names, self.found) = (code, description, names, found)
    }
}

extension IdentityError {
    private static let export =
        "in Keychain Access, My Certificates, export the certificate together with its key as .p12"

    static let empty = IdentityError(.empty, "The file is empty.")

    static let tooLarge = IdentityError(.tooLarge, "The file is too large for a certificate and a key.")

    static let unknownFile = IdentityError(
        .unknownFile, "This is neither PKCS#12 (.p12, .pfx) nor a certificate or key in PEM: \(export).")

    static func damaged(_ what: String) -> IdentityError {
        IdentityError(.damaged, "The file is incomplete or damaged (\(what)): copy or re-export it.")
    }

    static func pem(_ kind: CredentialFileKind?) -> IdentityError {
        let what = kind?.words ?? "PEM"
        let advice = kind == .identity ? "give it as certificate file" : export
        return IdentityError(.pem, "This is \(what), not PKCS#12 (.p12): \(advice).", found: kind)
    }

    static let pkcs12 = IdentityError(
        .pkcs12, "This is PKCS#12 (.p12, .pfx), not PEM, with certificate and key: give it as .p12.", found: .pkcs12)

    static func otherKind(_ kind: CredentialFileKind) -> IdentityError {
        IdentityError(.otherContents, "This is \(kind.words), not a certificate with its key: \(export).")
    }

    static let keyInDER = IdentityError(
        .otherContents,
        """
        This is a private key in DER, without a certificate: convert it to PEM with \
        "openssl pkey -inform DER -in KEY.der -out KEY.pem", and give it together with its certificate.
        """)

    static func otherContents(_ what: String) -> IdentityError {
        IdentityError(.otherContents, "This is \(what), not a certificate with its key: \(export).")
    }

    static let noPrivateKey = noPrivateKey(found: nil)

    static func noPrivateKey(found: CredentialFileKind?) -> IdentityError {
        IdentityError(.noPrivateKey, "The file has a certificate, but no private key: \(export).", found: found)
    }

    static func noKey(isCertificate: Bool) -> IdentityError {
        IdentityError(
            .noPrivateKey,
            """
            The key file has \(isCertificate ? "a certificate, but no private key" : "no private key"): such a file begins with \
            -----BEGIN PRIVATE KEY-----, or similar.
            """)
    }

    static let noCertificate = IdentityError(
        .noCertificate, "The file has a private key, but no certificate: \(export).", found: .privateKey)

    static let swapped = IdentityError(
        .swapped,
        """
        The two files are swapped: the one for the certificate has the private key, and the one for the key has the certificate. \
        Exchange them.
        """)

    static let keyMismatch = IdentityError(
        .keyMismatch,
        """
        The private key doesn't belong to the certificate: use the key of the certificate request, or create a \
        new certificate.
        """)

    static let passphraseNeeded = IdentityError(
        .passphraseNeeded, "The file is encrypted, and no passphrase was given: give the passphrase of the export.")

    static let wrongPassphrase = IdentityError(
        .wrongPassphrase, "The passphrase is wrong: give the passphrase of the export, or re-export it with a new one.")

    static func legacyProviderMissing(_ names: [String]) -> IdentityError {
        IdentityError(
            .legacyProviderMissing,
            """
            The file uses an old encryption (\(list(names))). OpenSSL needs its legacy provider to read it, \
            and that isn't installed: install the package openssl-provider-legacy (in Debian 12 and Ubuntu 24.04 it \
            is part of libssl3), or convert the file on a machine that has it: \
            openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem.
            """)
    }

    static func unsupportedAlgorithm(_ names: [String]) -> IdentityError {
        IdentityError(
            .unsupportedAlgorithm,
            """
            OpenSSL doesn't support the encryption of the file (\(list(names))): re-export it with AES.
            """)
    }

    static func tooSlow(_ rounds: Int) -> IdentityError {
        IdentityError(
            .unsupportedAlgorithm,
            """
            The passphrase is hashed in \(rounds) rounds, which takes hours: re-export the file with fewer rounds.
            """)
    }

    static func several(_ names: [String]) -> IdentityError {
        IdentityError(.several, "The file has \(names.count) identities, choose one: \(quoted(names)).", names: names)
    }

    static func noSuchName(_ name: String, of names: [String], matches: Int) -> IdentityError {
        let shown = CertificateText.printable(name.utf8.prefix(200))
        let found = matches == 0 ? "No identity in the file" : "More than one identity in the file"
        return IdentityError(
            .noSuchName, "\(found) has the name \"\(shown)\": choose one of \(quoted(names)).", names: names)
    }

    private static func quoted(_ names: [String]) -> String {
        names.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "algorithm unknown" : names.joined(separator: ", ")
    }
}
