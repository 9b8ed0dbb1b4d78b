internal import CSSL

/// The keys and certificates of a file, before it is known which belongs to which.
struct IdentityContents {
    struct NamedCertificate {
        var certificate: PEMCertificates.Certificate
        var friendlyName: String?
    }

    var keys: [PrivateKey] = []
    var certificates: [NamedCertificate] = []

    /// No chain is longer.
    private static let longestChain = 10

    /// Each certificate that has its key, with the certificates above it.
    func identities() throws(IdentityError) -> [ClientIdentity] {
        if certificates.isEmpty { throw keys.isEmpty ? .otherContents("a file with nothing in it") : .noCertificate }
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

    /// From issuer to issuer, as far as the file goes. One that has issued itself needs not be sent: whoever trusts it
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
