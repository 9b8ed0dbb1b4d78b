/// Why a certificate cannot be read or created.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case badName
        /// The data is not a certificate, or is incomplete or damaged.
        case damagedCertificate
        /// The private key of an authority cannot be used. The description is the one of ``KeyError``.
        case unusableKey
        case notAuthority
        case keyMismatch
        /// OpenSSL failed with valid values.
        case failed
    }

    package let code: Code
    /// What is wrong and what to do, in a sentence without a file name.
    package let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }
}

extension CertificateError {
    static func badName(_ name: String, _ why: String) -> CertificateError {
        let shown = name.unicodeScalars.prefix(80).map { $0.isASCII && $0.value >= 0x20 ? String($0) : "?" }
        return CertificateError(
            .badName,
            """
            "\(shown.joined())" \(why): use a host name such as push.example.com, or an IP address such as \
            192.0.2.1 or 2001:db8::1.
            """)
    }

    static let noNames = CertificateError(
        .badName, "A server certificate needs a name: give a host name or an IP address.")

    /// The form is PEM or DER.
    static func damagedCertificate(_ form: String) -> CertificateError {
        CertificateError(
            .damagedCertificate,
            """
            This isn't a certificate in \(form), or it is incomplete or damaged (OpenSSL: \
            \(OpenSSLErrorQueue.summary())).
            """)
    }

    static func unusableKey(_ cause: KeyError) -> CertificateError {
        CertificateError(.unusableKey, cause.description)
    }

    static let notAuthority = CertificateError(
        .notAuthority, "The certificate isn't for an authority: its basic constraints don't contain CA:TRUE.")

    static let keyMismatch = CertificateError(
        .keyMismatch, "The private key doesn't belong to the certificate: use the two that were created together.")

    static func failed(_ operation: String) -> CertificateError {
        CertificateError(.failed, "OpenSSL couldn't \(operation) (\(OpenSSLErrorQueue.summary())).")
    }
}
