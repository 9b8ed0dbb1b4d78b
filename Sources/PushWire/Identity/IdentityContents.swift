internal import CSSL
internal import PushPlatform

/// The keys and certificates of a file, before they are matched.
struct IdentityContents {
    struct NamedCertificate {
        var certificate: PEMCertificates.Certificate
        var friendlyName: String?
    }

    var keys: [PrivateKey] = []
    var certificates: [NamedCertificate] = []

    /// The maximum number of certificates in a chain. Further ones are not sent.
    private static let longestChain = 10

    /// Returns each certificate that has a key, with its chain.
    func identities() throws(IdentityError) -> [ClientIdentity] {
        if certificates.isEmpty { throw keys.isEmpty ? .otherContents("an empty file") : .noCertificate }
        if keys.isEmpty { throw .noPrivateKey }
        var identities: [ClientIdentity] = []
        for entry in certificates {
            guard let key = keys.first(where: { $0.fits(entry.certificate.x509) }) else { continue }
            let identity = try ClientIdentity(
                leaf: entry.certificate, key: key, chain: chain(above: entry.certificate),
                friendlyName: entry.friendlyName)
            let isNew = !identities.contains { $0.certificate.fingerprint == identity.certificate.fingerprint }
            if isNew { identities.append(identity) }
        }
        if identities.isEmpty { throw .keyMismatch }
        return identities
    }

    /// The chain of issuers that are in the file, without a self-signed certificate: a server that trusts it already
    /// has it.
    private func chain(above leaf: PEMCertificates.Certificate) -> [PEMCertificates.Certificate] {
        var chain: [PEMCertificates.Certificate] = []
        var last = leaf
        while chain.count < Self.longestChain, !Self.issued(last, by: last) {
            let issuer = certificates.first { Self.issued(last, by: $0.certificate) }?.certificate
            guard let issuer, !Self.issued(issuer, by: issuer) else { break }
            chain.append(issuer)
            last = issuer
        }
        OpenSSLErrorQueue.clear()
        return chain
    }

    private static func issued(
        _ certificate: PEMCertificates.Certificate, by issuer: PEMCertificates.Certificate
    ) -> Bool {
        X509_check_issued(issuer.x509, certificate.x509) == X509_V_OK
    }
}

/// A certificate with its private key and its chain, which a client sends in the TLS handshake.
///
/// Any thread may use it: everything in it is immutable, and OpenSSL counts references atomically and protects its
/// cached data with locks.
package final class ClientIdentity: @unchecked Sendable {
    let leaf: PEMCertificates.Certificate
    let key: PrivateKey
    let chain: [PEMCertificates.Certificate]

    package let certificate: ProviderCertificate
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
}
