internal import CSSL

/// An authority that makes certificates for servers: a mock's own, trusted by whoever is given its file.
///
/// For one thread at a time. Time comes as an argument, in unix seconds.
package final class CertificateAuthority {
    let certificate: Certificate
    let key: P256Key

    /// The certificate that clients are to trust.
    package let certificatePEM: [UInt8]

    private init(certificate: Certificate, key: P256Key) throws(CertificateError) {
        self.certificate = certificate
        self.key = key
        certificatePEM = try certificate.pem()
    }

    /// Makes a new authority.
    ///
    /// - Parameters:
    ///   - commonName: What certificate viewers show; 1 to 64 characters.
    ///   - validDays: How long it is valid.
    ///   - now: It is valid from an hour before, for clients whose clock is behind.
    /// - Returns: An authority with a key of its own, P-256.
    /// - Throws: ``CertificateError`` for a common name or a time that cannot be.
    package static func make(
        commonName: String, validDays: Int = 3650, now: Int64
    ) throws(CertificateError) -> CertificateAuthority {
        let key = try newKey()
        let draft = try CertificateDraft(commonName: commonName, key: key)
        try draft.setValidity(from: now - 3600, until: now + Int64(validDays) * 86400)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: nil)
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: nil)
        try draft.add(NID_subject_key_identifier, "hash", issuer: nil)
        return try CertificateAuthority(certificate: draft.signed(by: nil, with: key), key: key)
    }

    /// Reads an authority that was made before.
    package convenience init(certificatePEM: [UInt8], privateKeyPEM: [UInt8]) throws(CertificateError) {
        let certificate = try Certificate(pem: certificatePEM)
        let key: P256Key
        do throws(KeyError) {
            key = try P256Key(pem: privateKeyPEM)
        } catch {
            throw .unusableKey(error)
        }
        guard key.isPrivate else { throw .unusableKey(.publicKey) }
        guard X509_check_ca(certificate.pointer) == 1 else { throw .notAuthority }
        guard certificate.fits(key) else { throw .keyMismatch }
        try self.init(certificate: certificate, key: key)
    }

    /// The seconds (unix time) in which the authority is valid.
    package var validity: ClosedRange<Int64> { certificate.validity }

    /// Its key as unencrypted PKCS#8 PEM.
    package func privateKeyPEM() throws(CertificateError) -> [UInt8] {
        try CertificateAuthority.pem(of: key)
    }

    /// Makes a certificate and its key for a server.
    ///
    /// - Parameters:
    ///   - names: Host names (`*.example.com` too) and IP addresses; all go into the subjectAltName.
    ///   - validDays: It ends with the authority at the latest. Apple's systems take no more than 825.
    ///   - now: It is valid from an hour before.
    /// - Returns: Both in PEM.
    /// - Throws: ``CertificateError``, `badName` for a name that is neither or when there is none.
    package func issueServerCertificate(
        names: [String], validDays: Int, now: Int64
    ) throws(CertificateError) -> (certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        try issueServerCertificate(
            names: names, from: max(now - 3600, validity.lowerBound),
            until: min(now + Int64(validDays) * 86400, validity.upperBound))
    }

    /// The same for any time, one that is over or still to come too.
    package func issueServerCertificate(
        names: [String], from start: Int64, until end: Int64
    ) throws(CertificateError) -> (certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        var unique: [CertificateName] = []
        for name in names {
            let name = try CertificateName(name)
            if !unique.contains(name) { unique.append(name) }
        }
        guard !unique.isEmpty else { throw .noNames }
        let key = try CertificateAuthority.newKey()
        // The subject is for people only: clients look at the subjectAltName.
        let draft = try CertificateDraft(commonName: "Server", key: key)
        try draft.setValidity(from: start, until: end)
        try draft.add(NID_basic_constraints, "critical,CA:FALSE", issuer: certificate)
        try draft.add(NID_key_usage, "critical,digitalSignature", issuer: certificate)
        try draft.add(NID_ext_key_usage, "serverAuth", issuer: certificate)
        let configuration = unique.map(\.configuration).joined(separator: ",")
        try draft.add(NID_subject_alt_name, configuration, issuer: certificate)
        try draft.add(NID_subject_key_identifier, "hash", issuer: certificate)
        try draft.add(NID_authority_key_identifier, "keyid:always", issuer: certificate)
        let issued = try draft.signed(by: certificate, with: self.key)
        return (try issued.pem(), try CertificateAuthority.pem(of: key))
    }

    private static func newKey() throws(CertificateError) -> P256Key {
        do throws(KeyError) { return try P256Key.generate() } catch { throw .unusableKey(error) }
    }

    private static func pem(of key: P256Key) throws(CertificateError) -> [UInt8] {
        do throws(KeyError) { return try key.privatePEM() } catch { throw .unusableKey(error) }
    }
}
