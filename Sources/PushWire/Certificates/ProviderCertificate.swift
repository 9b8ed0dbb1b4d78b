internal import CSSL

/// What a certificate says about itself as one that pushes are sent with: a value, with nothing of OpenSSL's in it.
///
/// Whether it is genuine is another question, see ``TLSSession/peerCertificateVerdict(authoritiesPEM:now:)``. Control
/// characters in its texts are replaced.
package struct ProviderCertificate: Hashable, Sendable {
    /// The name of the subject; empty when it has none.
    package let commonName: String
    /// The user id (UID) of the subject: for one app, its bundle id.
    package let userID: String?
    /// The organizational unit (OU) of the subject: Apple's team id.
    package let teamID: String?
    /// The organization (O) of the subject.
    package let organization: String?
    /// The common name of whoever issued it.
    package let issuer: String
    /// What it is for, as its common name says.
    package let kind: Kind
    /// Where it is taken, as its extensions say or else its kind; never empty, and both when nothing is said.
    package let environments: Set<Environment>
    /// Whether extensions or kind say where it is taken.
    package let saysEnvironment: Bool
    /// What it may send to: those of its extensions, else the user id. In its order, each once.
    package let topics: [String]
    /// Whether the extension 6.3.6 lists topics.
    package let hasTopicList: Bool
    /// It is valid from here, in seconds since 1970.
    package let notBefore: Int
    /// It is valid until here, in seconds since 1970.
    package let notAfter: Int
    /// SHA-256 of the whole certificate, in hex.
    package let fingerprint: String

    /// Reads a certificate in DER.
    ///
    /// - Throws: ``CertificateError``, `damagedCertificate`.
    package init(der: [UInt8]) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        guard let x509 = OpenSSLBytes.read(der[...], { d2i_X509_bio($0, nil) }) else { throw .notDER() }
        defer { X509_free(x509) }
        try self.init(x509: x509)
    }

    /// Reads an `X509`, which stays the caller's.
    init(x509: OpaquePointer) throws(CertificateError) {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        guard let start = Certificate.unixSeconds(X509_get0_notBefore(x509)),
            let end = Certificate.unixSeconds(X509_get0_notAfter(x509)),
            let fingerprint = Fingerprint.ofCertificate(x509)
        else { throw .notDER() }
        notBefore = Int(start)
        notAfter = Int(end)
        self.fingerprint = fingerprint
        let subject = X509_get_subject_name(x509)
        commonName = SubjectText.first(NID_commonName, in: subject) ?? ""
        userID = SubjectText.first(NID_userId, in: subject)
        teamID = SubjectText.first(NID_organizationalUnitName, in: subject)
        organization = SubjectText.first(NID_organizationName, in: subject)
        issuer = SubjectText.first(NID_commonName, in: X509_get_issuer_name(x509)) ?? ""
        kind = Kind.kind(ofCommonName: commonName)
        let extensions = AppleExtensions(x509)
        let environments = extensions.environments
        self.environments = environments.isEmpty ? kind.environments : environments
        saysEnvironment = !environments.isEmpty || (kind != .unknown && kind.sendsPushes)
        let listed = extensions.topics.isEmpty ? [userID].compactMap { $0 } : extensions.topics
        topics = listed.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        hasTopicList = extensions.hasTopicList
    }
}

/// Apple's extensions, below 1.2.840.113635.100.6.3.
private struct AppleExtensions {
    var environments: Set<ProviderCertificate.Environment> = []
    var topics: [String]
    var hasTopicList: Bool

    init(_ x509: OpaquePointer) {
        if Self.value(1, in: x509) != nil { environments.insert(.sandbox) }
        if Self.value(2, in: x509) != nil { environments.insert(.production) }
        let listed = Self.value(6, in: x509).map(CertificateTopics.listed) ?? []
        // Apple speaks of the two extensions together: what either lists is allowed.
        topics = listed + (Self.value(4, in: x509).map(CertificateTopics.joined) ?? [])
        hasTopicList = !listed.isEmpty
    }

    /// The contents of an extension; `nil` when the certificate has it not.
    private static func value(_ number: Int, in x509: OpaquePointer) -> [UInt8]? {
        guard let object = OBJ_txt2obj("1.2.840.113635.100.6.3.\(number)", 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(x509, object, -1)
        guard index >= 0, let value = X509_EXTENSION_get_data(X509_get_ext(x509, index)) else { return nil }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value))))
    }
}

/// Texts in the name of a subject or an issuer.
private enum SubjectText {
    /// The first of its kind; `nil` when there is none, or an empty one.
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
