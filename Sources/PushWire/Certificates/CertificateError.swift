/// Why a certificate could not be read or made.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    package struct Code: Hashable, Sendable {
        let word: String
        /// A name that can stand in no certificate.
        package static let badName = Code(word: "badName")
        /// Not a certificate, cut off or damaged.
        package static let damagedCertificate = Code(word: "damagedCertificate")
        /// The private key of an authority cannot be used; the sentence is ``KeyError``'s.
        package static let unusableKey = Code(word: "unusableKey")
        /// The certificate is not an authority's.
        package static let notAuthority = Code(word: "notAuthority")
        /// The private key is not the certificate's.
        package static let keyMismatch = Code(word: "keyMismatch")
        /// OpenSSL failed with values that are in order.
        package static let failed = Code(word: "failed")
    }

    package let code: Code
    /// What is wrong and what to do, in a sentence that names no file.
    package let description: String
}

extension CertificateError {
    static func badName(_ name: String, _ why: String) -> CertificateError {
        let shown = name.unicodeScalars.prefix(80).map { $0.isASCII && $0.value >= 0x20 ? String($0) : "?" }
        return CertificateError(
            code: .badName,
            description: """
                "\(shown.joined())" \(why): a server certificate is made for host names such as push.example.com and \
                for IP addresses such as 192.0.2.1 or 2001:db8::1.
                """
        )
    }

    static let noNames = CertificateError(
        code: .badName,
        description: "A server certificate needs a name: give a host name or an IP address."
    )

    static func damagedCertificate() -> CertificateError {
        CertificateError(
            code: .damagedCertificate,
            description: """
                This is not a certificate in PEM, or it is cut off or damaged (OpenSSL: \
                \(OpenSSLErrorQueue.summary())).
                """
        )
    }

    static func notDER() -> CertificateError {
        CertificateError(
            code: .damagedCertificate,
            description: """
                This is not a certificate in DER, or it is cut off or damaged (OpenSSL: \
                \(OpenSSLErrorQueue.summary())).
                """
        )
    }

    static func unusableKey(_ cause: KeyError) -> CertificateError {
        CertificateError(code: .unusableKey, description: cause.description)
    }

    static let notAuthority = CertificateError(
        code: .notAuthority,
        description: "The certificate is not an authority's: its basic constraints do not say CA:TRUE."
    )

    static let keyMismatch = CertificateError(
        code: .keyMismatch,
        description: "The private key does not belong to the certificate: use the two that were made together."
    )

    static func failed(_ operation: String) -> CertificateError {
        CertificateError(code: .failed, description: "OpenSSL could not \(operation) (\(OpenSSLErrorQueue.summary())).")
    }
}
