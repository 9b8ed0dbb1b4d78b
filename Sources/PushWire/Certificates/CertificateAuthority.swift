internal import CSSL
internal import PushPlatform

/// A certificate authority of a mock. It issues server certificates; clients trust it if they get its file.
///
/// Only one thread may use it at a time. The caller gives the time, in unix seconds.
package final class CertificateAuthority {
    let certificate: Certificate
    let key: P256Key

    /// The certificate for clients to trust.
    package let certificatePEM: [UInt8]

    private init(certificate: Certificate, key: P256Key) throws(CertificateError) {
        self.certificate = certificate
        self.key = key
        certificatePEM = try certificate.pem()
    }

    /// Creates a new authority.
    ///
    /// - Parameters:
    ///   - commonName: The name that certificate viewers show: 1 to 64 characters.
    ///   - validDays: How long it is valid, in days.
    ///   - now: The current time. It is valid from an hour before, for clients whose clock is behind.
    /// - Returns: An authority with a new P-256 key.
    /// - Throws: ``CertificateError`` for an invalid common name or time.
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

    /// Reads an existing authority.
    package convenience init(certificatePEM: [UInt8], privateKeyPEM: [UInt8]) throws(CertificateError) {
        let certificate = try Certificate(pem: certificatePEM)
        let key = try rethrowing(try P256Key(pem: privateKeyPEM), as: CertificateError.unusableKey)
        guard key.isPrivate else { throw .unusableKey(.publicKey) }
        guard X509_check_ca(certificate.pointer) == 1 else { throw .notAuthority }
        guard certificate.fits(key) else { throw .keyMismatch }
        try self.init(certificate: certificate, key: key)
    }

    /// The first and the last second in which the authority is valid, in unix time.
    package var validity: ClosedRange<Int64> { certificate.validity }

    /// Returns its key as unencrypted PKCS#8 PEM.
    package func privateKeyPEM() throws(CertificateError) -> [UInt8] {
        try CertificateAuthority.pem(of: key)
    }

    /// Creates a certificate and its key for a server.
    ///
    /// - Parameters:
    ///   - names: Host names (also `*.example.com`) and IP addresses for the subjectAltName.
    ///   - validDays: How long it is valid, in days, but not longer than the authority. Apple's systems accept at most
    ///     825 days.
    ///   - now: The current time. It is valid from an hour before.
    /// - Returns: Certificate and key in PEM.
    /// - Throws: ``CertificateError``; `badName` for an invalid name, or if there is no name.
    package func issueServerCertificate(
        names: [String], validDays: Int, now: Int64
    ) throws(CertificateError) -> (certificatePEM: [UInt8], privateKeyPEM: [UInt8]) {
        try issueServerCertificate(
            names: names, from: max(now - 3600, validity.lowerBound),
            until: min(now + Int64(validDays) * 86400, validity.upperBound))
    }

    /// Creates a certificate and its key for any time, also in the past or in the future.
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
        // The subject is only for people. Clients use the subjectAltName.
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

    /// Issues a certificate for an app, like Apple's: its subject and extensions name the topic and both environments.
    ///
    /// - Parameters:
    ///   - topic: The bundle id of the app.
    ///   - password: The passphrase of the file.
    ///   - validDays: How long it is valid, in days.
    ///   - now: The time of the issue, in seconds since 1970.
    ///   - protection: How the file is encrypted.
    /// - Returns: A `.p12` file with the certificate and its key.
    /// - Throws: ``CertificateError``.
    package func issueClientIdentity(
        topic: String, password: String, validDays: Int, now: Int64, _ protection: PKCS12Writer.Protection = .modern
    ) throws(CertificateError) -> [UInt8] {
        let key = try CertificateAuthority.newKey()
        let draft = try CertificateDraft(commonName: "Apple Push Services: \(topic)", key: key)
        try draft.addToSubject("UID", topic)
        try draft.setValidity(
            from: max(now - 3600, validity.lowerBound), until: min(now + Int64(validDays) * 86400, validity.upperBound))
        try draft.add(NID_basic_constraints, "critical,CA:FALSE", issuer: certificate)
        try draft.add(NID_key_usage, "critical,digitalSignature", issuer: certificate)
        try draft.add(NID_ext_key_usage, "clientAuth", issuer: certificate)
        // Sandbox and production.
        try draft.addMark("1.2.840.113635.100.6.3.1")
        try draft.addMark("1.2.840.113635.100.6.3.2")
        let issued = try draft.signed(by: certificate, with: self.key)
        return try PKCS12Writer.identity(
            issued, key, name: "Apple Push Services: \(topic)", password: password, protection)
    }

    private static func newKey() throws(CertificateError) -> P256Key {
        do throws(KeyError) { return try P256Key.generate() } catch { throw .unusableKey(error) }
    }

    private static func pem(of key: P256Key) throws(CertificateError) -> [UInt8] {
        do throws(KeyError) { return try key.privatePEM() } catch { throw .unusableKey(error) }
    }
}
