/// Why a file is no client identity, or which of several is meant.
///
/// The sentence names neither the file, which only the caller knows, nor any key or passphrase.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    package struct Code: Hashable, Sendable {
        let word: String
        /// There is nothing.
        package static let empty = Code(word: "empty")
        /// Larger than any file of this kind.
        package static let tooLarge = Code(word: "tooLarge")
        /// None of the kinds of file that are read.
        package static let unknownFile = Code(word: "unknownFile")
        /// Cut off, or changed on its way.
        package static let damaged = Code(word: "damaged")
        /// PEM where PKCS#12 is wanted.
        package static let pem = Code(word: "pem")
        /// PKCS#12 where PEM is wanted.
        package static let pkcs12 = Code(word: "pkcs12")
        /// Something else of Apple's or OpenSSL's: a request, a profile, a key alone.
        package static let otherContents = Code(word: "otherContents")
        /// A certificate without its private key.
        package static let noPrivateKey = Code(word: "noPrivateKey")
        /// A private key without its certificate.
        package static let noCertificate = Code(word: "noCertificate")
        /// The private key is not the certificate's.
        package static let keyMismatch = Code(word: "keyMismatch")
        /// It is encrypted, and no passphrase was given.
        package static let passphraseNeeded = Code(word: "passphraseNeeded")
        /// The passphrase is not the one of the file.
        package static let wrongPassphrase = Code(word: "wrongPassphrase")
        /// It is encrypted as in old days, and OpenSSL's legacy provider is not installed.
        package static let legacyProviderMissing = Code(word: "legacyProviderMissing")
        /// It is encrypted in a way that OpenSSL does not know.
        package static let unsupportedAlgorithm = Code(word: "unsupportedAlgorithm")
        /// There are several identities, and none was named.
        package static let several = Code(word: "several")
        /// No identity has the name, or more than one has it.
        package static let noSuchName = Code(word: "noSuchName")
    }

    package let code: Code
    /// What is wrong and what to do, in a sentence or two.
    package let description: String
    /// The names of the identities, where the caller has to choose one.
    package var names: [String] = []
}

extension IdentityError {
    private static let export =
        "in Keychain Access, My Certificates, export the certificate together with its key as .p12"

    static let empty = IdentityError(code: .empty, description: "There is nothing in it.")

    static let tooLarge = IdentityError(code: .tooLarge, description: "It is too large to be a certificate and a key.")

    static let unknownFile = IdentityError(
        code: .unknownFile,
        description: "This is neither PKCS#12 (.p12, .pfx) nor a certificate or key in PEM: \(export)."
    )

    static func damaged(_ what: String) -> IdentityError {
        IdentityError(
            code: .damaged, description: "The file is cut off or damaged (\(what)): copy or export it again.")
    }

    static let pem = IdentityError(
        code: .pem,
        description: "This is PEM, not PKCS#12 (.p12): give it as a certificate file, with its key file or a key in it."
    )

    static let pkcs12 = IdentityError(
        code: .pkcs12,
        description: "This is PKCS#12 (.p12, .pfx), not PEM, and holds certificate and key: give it as .p12."
    )

    static func otherContents(_ what: String) -> IdentityError {
        IdentityError(
            code: .otherContents, description: "This is \(what), not a certificate with its key: \(export).")
    }

    static let noPrivateKey = IdentityError(
        code: .noPrivateKey,
        description: "There is a certificate and no private key in it, and both are needed: \(export)."
    )

    static let noKey = IdentityError(
        code: .noPrivateKey,
        description: "There is no private key in the key file: it begins with -----BEGIN PRIVATE KEY-----, or alike."
    )

    static let noCertificate = IdentityError(
        code: .noCertificate,
        description: "There is a private key and no certificate in it, and both are needed: \(export)."
    )

    static let keyMismatch = IdentityError(
        code: .keyMismatch,
        description: """
            The private key does not belong to the certificate: find the key with which the certificate was requested, \
            or have a new certificate made.
            """
    )

    static let passphraseNeeded = IdentityError(
        code: .passphraseNeeded,
        description: "It is protected by a passphrase, and none was given: give the one of the export."
    )

    static let wrongPassphrase = IdentityError(
        code: .wrongPassphrase,
        description: "The passphrase is wrong: give the one of the export, or export again with a new one."
    )

    static func legacyProviderMissing(_ names: [String]) -> IdentityError {
        IdentityError(
            code: .legacyProviderMissing,
            description: """
                It is encrypted as in old days (\(list(names))), which OpenSSL reads with its legacy provider only, \
                and that is not installed: install the package openssl-provider-legacy (Debian 12 and Ubuntu 24.04 have \
                it with libssl3), or convert the file once where it is: openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem.
                """
        )
    }

    static func unsupportedAlgorithm(_ names: [String]) -> IdentityError {
        IdentityError(
            code: .unsupportedAlgorithm,
            description: """
                It is encrypted in a way that OpenSSL does not read here (\(list(names))): export it again with AES.
                """
        )
    }

    static func tooSlow(_ rounds: Int) -> IdentityError {
        IdentityError(
            code: .unsupportedAlgorithm,
            description: """
                Its passphrase is hashed in \(rounds) rounds, which would take hours: export it again with fewer.
                """
        )
    }

    static func several(_ names: [String]) -> IdentityError {
        IdentityError(
            code: .several,
            description: "There are \(names.count) identities in it, name one: \(quoted(names)).",
            names: names
        )
    }

    static func noSuchName(_ name: String, of names: [String], matches: Int) -> IdentityError {
        let shown = CertificateText.printable(name.utf8.prefix(200))
        let found = matches == 0 ? "No identity in it" : "More than one identity in it"
        return IdentityError(
            code: .noSuchName,
            description: "\(found) is called \"\(shown)\": there \(names.count == 1 ? "is" : "are") \(quoted(names)).",
            names: names
        )
    }

    private static func quoted(_ names: [String]) -> String {
        names.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "it does not say how" : names.joined(separator: ", ")
    }
}
