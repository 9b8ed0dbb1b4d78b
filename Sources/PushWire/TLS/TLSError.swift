/// Why a TLS connection could not be opened, or ended.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String
        /// Certificates or a key cannot be used.
        package static let unusableMaterial = Code(name: "unusableMaterial")
        /// OpenSSL does not accept the certificate of this side.
        package static let unusableIdentity = Code(name: "unusableIdentity")
        /// The issuer of the peer's certificate is not trusted.
        package static let untrustedAuthority = Code(name: "untrustedAuthority")
        /// The peer's certificate has expired or is not valid yet.
        package static let certificateNotInForce = Code(name: "certificateNotInForce")
        /// The peer's certificate is for another host name.
        package static let wrongHostName = Code(name: "wrongHostName")
        /// The peer's certificate was refused for another reason.
        package static let certificateRefused = Code(name: "certificateRefused")
        /// The peer refused the certificate of this side because it has expired.
        package static let ownCertificateExpired = Code(name: "ownCertificateExpired")
        /// The peer refused the certificate of this side for another reason.
        package static let ownCertificateRefused = Code(name: "ownCertificateRefused")
        /// The peer does not speak HTTP/2.
        package static let noHTTP2 = Code(name: "noHTTP2")
        /// The peer does not speak TLS.
        package static let notTLS = Code(name: "notTLS")
        /// The peer ended the connection with an alert.
        package static let alertReceived = Code(name: "alertReceived")
        /// Another error of OpenSSL.
        package static let failed = Code(name: "failed")
    }

    package var code: Code
    /// What happened, as a sentence without a full stop. It may have OpenSSL's message in brackets.
    package var detail: String
    /// Whether another connection may succeed. Errors about names, authorities, certificates and protocols are
    /// permanent.
    package var isPassing: Bool

    package init(code: Code, detail: String, isPassing: Bool = false) {
        self.code = code
        self.detail = detail
        self.isPassing = isPassing
    }

    package var description: String { detail }
}
