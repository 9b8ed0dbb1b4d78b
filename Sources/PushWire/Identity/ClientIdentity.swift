internal import CSSL

/// A certificate with its private key and the certificates above it: what a client shows in the TLS handshake.
///
/// Any thread may use it: everything in it is immutable, OpenSSL counts references atomically, and guards what it works
/// out about a certificate at the first question.
package final class ClientIdentity: @unchecked Sendable {
    let leaf: PEMCertificates.Certificate
    let key: PrivateKey
    let chain: [PEMCertificates.Certificate]

    /// What the certificate says of itself.
    package let certificate: ProviderCertificate
    /// The name that whoever made the file gave it.
    package let friendlyName: String?

    init(
        leaf: PEMCertificates.Certificate, key: PrivateKey, chain: [PEMCertificates.Certificate], friendlyName: String?
    ) throws(IdentityError) {
        do throws(CertificateError) {
            certificate = try ProviderCertificate(x509: leaf.x509)
        } catch {
            throw .damaged("its certificate cannot be read")
        }
        self.leaf = leaf
        self.key = key
        self.chain = chain
        self.friendlyName = friendlyName
    }

    /// How people call it: the common name of the certificate, else its friendly name, else its user id.
    package var name: String {
        if !certificate.commonName.isEmpty { return certificate.commonName }
        return friendlyName ?? certificate.userID ?? "without a name"
    }

    /// How many certificates above its own are sent along.
    package var chainCount: Int { chain.count }
}
