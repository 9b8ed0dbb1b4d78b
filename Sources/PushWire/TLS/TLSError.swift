/// Why a TLS connection did not come about, or ended.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let word: String
        /// A file of certificates or a key could not be used.
        package static let unusableMaterial = Code(word: "unusableMaterial")
        /// OpenSSL does not take the certificate that this side is to show.
        package static let unusableIdentity = Code(word: "unusableIdentity")
        /// The peer's certificate comes from an authority that is not trusted here.
        package static let untrustedAuthority = Code(word: "untrustedAuthority")
        /// The peer's certificate has expired or is not valid yet.
        package static let certificateNotInForce = Code(word: "certificateNotInForce")
        /// The peer's certificate is for another host name.
        package static let wrongHostName = Code(word: "wrongHostName")
        /// The peer's certificate was refused for another cause.
        package static let certificateRefused = Code(word: "certificateRefused")
        /// The peer refused the certificate of this side because it has expired.
        package static let ownCertificateExpired = Code(word: "ownCertificateExpired")
        /// The peer refused the certificate of this side for another cause.
        package static let ownCertificateRefused = Code(word: "ownCertificateRefused")
        /// The peer does not speak HTTP/2.
        package static let noHTTP2 = Code(word: "noHTTP2")
        /// The peer does not speak TLS.
        package static let notTLS = Code(word: "notTLS")
        /// The peer ended the connection with an alert.
        package static let alertReceived = Code(word: "alertReceived")
        /// Anything else that OpenSSL refuses.
        package static let failed = Code(word: "failed")
    }

    package var code: Code
    /// What happened, in a sentence without a full stop, OpenSSL's words in brackets where they help.
    package var detail: String
    /// Another connection may do better: names, authorities, certificates and protocols do not change by themselves.
    package var isPassing: Bool

    package init(code: Code, detail: String, isPassing: Bool = false) {
        self.code = code
        self.detail = detail
        self.isPassing = isPassing
    }

    package var description: String { detail }
}
