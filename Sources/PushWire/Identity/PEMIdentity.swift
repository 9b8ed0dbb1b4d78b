internal import CSSL
internal import PushPlatform

/// Reads certificates and a private key from PEM (RFC 7468).
enum PEMIdentity {
    static func contents(
        certificate: [UInt8], key: [UInt8]?, passphrase: SecretBuffer?
    ) throws(IdentityError) -> IdentityContents {
        var contents = IdentityContents()
        if let key, areSwapped(certificate, key) { throw .swapped }
        contents.certificates = try certificates(in: certificate)
        contents.keys = try RestoredFile.with(key ?? certificate) { file throws(IdentityError) in
            let found = try PEMPrivateKey.read(file, passphrase)
            if found == nil, key != nil { throw keyMissing(in: file) }
            return [found].compactMap(\.self)
        }
        return contents
    }

    /// Whether the file for the certificate has the key, and the file for the key has the certificate.
    private static func areSwapped(_ certificate: [UInt8], _ key: [UInt8]) -> Bool {
        guard let first = CredentialFileKind(certificate), let second = CredentialFileKind(key) else { return false }
        return [.privateKey, .privateKeyDER].contains(first) && [.certificate, .certificateDER].contains(second)
    }

    /// Returns the certificates of a file, at least one.
    static func certificates(in file: [UInt8]) throws(IdentityError) -> [IdentityContents.NamedCertificate] {
        guard !file.isEmpty else { throw .empty }
        return try RestoredFile.with(file) { file throws(IdentityError) in
            switch CredentialFileKind(restored: file) {
            case .certificate, .identity: return try pemCertificates(in: file)
            case .certificateDER:
                OpenSSLErrorQueue.clear()
                defer { OpenSSLErrorQueue.clear() }
                guard let x509 = OpenSSLBytes.read(file[...], { d2i_X509_bio($0, nil) }) else {
                    throw .damaged("the certificate can't be read")
                }
                return [.init(certificate: .init(x509), friendlyName: nil)]
            case .pkcs12: throw .pkcs12
            case .privateKey: throw .noCertificate
            case .privateKeyDER: throw .keyInDER
            case let kind?: throw .otherKind(kind)
            case nil: throw .unknownFile
            }
        }
    }

    private static func pemCertificates(in file: [UInt8]) throws(IdentityError) -> [IdentityContents.NamedCertificate] {
        let found = PEMCertificates.read(file)
        // Report a certificate that cannot be read, instead of skipping it.
        let announced = PEMBlock.all(in: file).filter { $0.label.hasSuffix("CERTIFICATE") }.count
        guard found.count >= announced else { throw .damaged("a certificate in the file can't be read") }
        return found.map { .init(certificate: $0, friendlyName: nil) }
    }

    private static func keyMissing(in file: [UInt8]) -> IdentityError {
        switch CredentialFileKind(restored: file) {
        case .pkcs12: .pkcs12
        case .privateKeyDER: .keyInDER
        case .certificate, .certificateDER: .noKey(isCertificate: true)
        case .identity, .privateKey, nil: .noKey(isCertificate: false)
        case let kind?: .otherKind(kind)
        }
    }
}

extension ProviderCertificate {
    /// Returns the certificates of a file, PEM or DER, with or without a key.
    ///
    /// - Parameter file: Its contents.
    /// - Returns: At least one.
    /// - Throws: ``IdentityError``.
    package static func list(file: [UInt8]) throws(IdentityError) -> [ProviderCertificate] {
        try PEMIdentity.certificates(in: file).map { entry throws(IdentityError) in
            return try rethrowing(try ProviderCertificate(x509: entry.certificate.x509)) { (_: CertificateError) in
                IdentityError.damaged("a certificate in the file can't be read")
            }
        }
    }
}
