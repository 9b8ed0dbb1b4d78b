internal import CSSL

/// The contents of a push certificate, as a value without OpenSSL objects.
///
/// It does not say whether the certificate is trusted, see ``TLSSession/peerCertificateResult(authoritiesPEM:now:)``.
/// Control characters in its texts are replaced.
package struct ProviderCertificate: Hashable, Sendable {
    /// The common name of the subject; empty if it has none.
    package let commonName: String
    /// The user id (UID) of the subject: the bundle id if the certificate is for one app.
    package let userID: String?
    /// The organizational unit (OU) of the subject: Apple's team id.
    package let teamID: String?
    /// The kind, from its common name.
    package let kind: Kind
    /// The services that accept it: from its extensions, otherwise from its kind. Both services if neither is known.
    package let environments: Set<Environment>
    /// Whether the extensions or the kind contain the services.
    package let saysEnvironment: Bool
    /// The topics that it may send to: from its extensions, otherwise the user id. In its order, without duplicates.
    package let topics: [String]
    /// The beginning of its validity, in seconds since 1970.
    package let notBefore: Int
    /// The end of its validity, in seconds since 1970.
    package let notAfter: Int
    /// SHA-256 of the whole certificate, in hex.
    package let fingerprint: String

    /// Reads a certificate in DER.
    ///
    /// - Throws: ``CertificateError``, `damagedCertificate`.
    package init(der: [UInt8]) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        guard let x509 = OpenSSLBytes.read(der[...], { d2i_X509_bio($0, nil) }) else {
            throw .damagedCertificate("DER")
        }
        defer { X509_free(x509) }
        try self.init(x509: x509)
    }

    /// Reads the first certificate of a PEM text, which must be that of an authority.
    ///
    /// - Throws: ``CertificateError``, `damagedCertificate` or `notAuthority`.
    package init(authorityPEM pem: [UInt8]) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        guard let first = PEMCertificates.read(pem).first else { throw .damagedCertificate("PEM") }
        // 0 means that it cannot issue certificates. The other values are for the different ways to mark an authority.
        guard X509_check_ca(first.x509) != 0 else { throw .notAuthority }
        try self.init(x509: first.x509)
    }

    /// The first certificate of a PEM text, without what follows it.
    ///
    /// - Throws: ``CertificateError``, `damagedCertificate`.
    package static func first(ofPEM pem: [UInt8]) throws(CertificateError) -> [UInt8] {
        let first = PEMCertificates.read(pem).first
        let written = first.flatMap { first in OpenSSLBytes.written { PEM_write_bio_X509($0, first.x509) } }
        guard let written else { throw .damagedCertificate("PEM") }
        return written
    }

    /// Reads an `X509`. The caller keeps its ownership.
    init(x509: OpaquePointer) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let start = Certificate.unixSeconds(X509_get0_notBefore(x509)),
            let end = Certificate.unixSeconds(X509_get0_notAfter(x509)),
            let fingerprint = Fingerprint.ofCertificate(x509)
        else { throw .damagedCertificate("DER") }
        notBefore = Int(start)
        notAfter = Int(end)
        self.fingerprint = fingerprint
        let subject = X509_get_subject_name(x509)
        commonName = SubjectText.first(NID_commonName, in: subject) ?? ""
        userID = SubjectText.first(NID_userId, in: subject)
        teamID = SubjectText.first(NID_organizationalUnitName, in: subject)
        let extensions = AppleExtensions(x509)
        let namedKind = Kind.kind(ofCommonName: commonName)
        let isAuthority =
            namedKind == .unknown && userID == nil && extensions.topics.isEmpty && X509_check_ca(x509) == 1
        kind = isAuthority ? .authority : namedKind
        let environments = extensions.environments
        self.environments = environments.isEmpty ? kind.environments : environments
        saysEnvironment = !environments.isEmpty || (kind != .unknown && kind.sendsPushes)
        let listed = extensions.topics.isEmpty ? [userID].compactMap { $0 } : extensions.topics
        topics = listed.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// Apple's extensions, below 1.2.840.113635.100.6.3.
private struct AppleExtensions {
    var environments: Set<ProviderCertificate.Environment> = []
    var topics: [String]

    init(_ x509: OpaquePointer) {
        if Self.value(1, in: x509) != nil { environments.insert(.sandbox) }
        if Self.value(2, in: x509) != nil { environments.insert(.production) }
        let listed = Self.value(6, in: x509).map(CertificateTopics.listed) ?? []
        // Apple describes both extensions together: the topics of both are allowed.
        topics = listed + (Self.value(4, in: x509).map(CertificateTopics.joined) ?? [])
    }

    /// Returns the contents of an extension; `nil` if the certificate does not have it.
    private static func value(_ number: Int, in x509: OpaquePointer) -> [UInt8]? {
        guard let object = OBJ_txt2obj("1.2.840.113635.100.6.3.\(number)", 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(x509, object, -1)
        guard index >= 0, let value = X509_EXTENSION_get_data(X509_get_ext(x509, index)) else { return nil }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value))))
    }
}

/// Texts in the name of a subject or an issuer.
enum SubjectText {
    /// Returns the first text of this kind; `nil` if there is none or it is empty.
    static func first(_ kind: Int32, in name: OpaquePointer?) -> String? {
        let index = X509_NAME_get_index_by_NID(name, kind, -1)
        guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
        var start: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&start, value)
        guard count > 0, let start else { return nil }
        defer { CSSL_free(start) }
        return CertificateText.printable(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}

enum PEMCertificates {
    /// Owns one reference to an `X509`.
    final class Certificate {
        let x509: OpaquePointer
        init(_ x509: OpaquePointer) { self.x509 = x509 }
        deinit { X509_free(x509) }
    }

    /// Returns the certificates up to the first one that cannot be read. Other PEM blocks are ignored.
    static func read(_ pem: [UInt8]) -> [Certificate] {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        return RestoredFile.with(pem) { pem in
            OpenSSLBytes.read(pem[...]) { bio in
                var certificates: [Certificate] = []
                while let x509 = PEM_read_bio_X509(bio, nil, refusePassphrase, nil) {
                    certificates.append(Certificate(x509))
                }
                return certificates
            } ?? []
        }
    }
}
