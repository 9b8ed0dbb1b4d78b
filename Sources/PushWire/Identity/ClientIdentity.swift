internal import CSSL
internal import PushPlatform

/// A certificate with its private key and its chain, which a client sends in the TLS handshake.
///
/// Any thread may use it: everything in it is immutable, and OpenSSL counts references atomically and protects its
/// cached data with locks.
package final class ClientIdentity: @unchecked Sendable {
    let leaf: PEMCertificates.Certificate
    let key: PrivateKey
    let chain: [PEMCertificates.Certificate]

    /// The contents of the certificate.
    package let certificate: ProviderCertificate
    /// The friendly name in the file.
    package let friendlyName: String?

    init(
        leaf: PEMCertificates.Certificate, key: PrivateKey, chain: [PEMCertificates.Certificate], friendlyName: String?
    ) throws(IdentityError) {
        certificate = try rethrowing(try ProviderCertificate(x509: leaf.x509)) { (_: CertificateError) in
            IdentityError.damaged("its certificate can't be read")
        }
        self.leaf = leaf
        self.key = key
        self.chain = chain
        self.friendlyName = friendlyName
    }

    /// The name of the identity: the common name of the certificate, otherwise its friendly name, otherwise its user
    /// id.
    package var name: String {
        if !certificate.commonName.isEmpty { return certificate.commonName }
        return friendlyName ?? certificate.userID ?? "without a name"
    }

    /// The number of certificates in its chain that are sent with it.
    package var chainCount: Int { chain.count }
}
