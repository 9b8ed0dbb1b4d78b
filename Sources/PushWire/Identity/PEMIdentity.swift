internal import CSSL

/// Reads certificates and a private key from PEM (RFC 7468).
enum PEMIdentity {
    static func contents(
        certificate: [UInt8], key: [UInt8]?, passphrase: SecretBuffer?
    ) throws(IdentityError) -> IdentityContents {
        var contents = IdentityContents()
        contents.certificates = try certificates(in: certificate)
        if let key {
            if IdentityFileKind(key) == .pkcs12 { throw .pkcs12 }
            guard let key = try PEMPrivateKey.read(key, passphrase) else { throw keyMissing(in: key) }
            contents.keys = [key]
        } else if let key = try PEMPrivateKey.read(certificate, passphrase) {
            contents.keys = [key]
        }
        return contents
    }

    /// Returns the certificates of a file, at least one.
    static func certificates(in file: [UInt8]) throws(IdentityError) -> [IdentityContents.NamedCertificate] {
        guard !file.isEmpty else { throw .empty }
        let kind = IdentityFileKind(file)
        if let problem = kind.problemAsCertificate { throw problem }
        OpenSSLErrorQueue.clear()
        if kind == .certificate {
            guard let x509 = OpenSSLBytes.read(file[...], { d2i_X509_bio($0, nil) }) else { return [] }
            return [.init(certificate: .init(x509), friendlyName: nil)]
        }
        let found = PEMCertificates.read(file)
        // Report a certificate that cannot be read, instead of skipping it.
        let announced = PEMBlock.all(in: file).filter { $0.label.hasSuffix("CERTIFICATE") }.count
        guard found.count >= announced else { throw .damaged("a certificate in the file cannot be read") }
        guard !found.isEmpty else { throw missing(in: file) }
        return found.map { .init(certificate: $0, friendlyName: nil) }
    }

    private static func missing(in file: [UInt8]) -> IdentityError {
        let labels = PEMBlock.all(in: file).map(\.label)
        if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) { return .noCertificate }
        if labels.contains(where: { $0.hasSuffix("CERTIFICATE REQUEST") }) {
            return .otherContents("a certificate request (.certSigningRequest)")
        }
        return .otherContents("PEM with a \"\(labels.first ?? "")\"")
    }

    private static func keyMissing(in file: [UInt8]) -> IdentityError {
        switch IdentityFileKind(file) {
        case .other(let what):
            .otherContents("\(what); convert a key to PEM with openssl pkey -inform DER -in KEY.der -out KEY.pem")
        case .certificate: .noPrivateKey
        case .pem: PEMBlock.all(in: file).contains { $0.label.hasSuffix("CERTIFICATE") } ? .noPrivateKey : .noKey
        case .pkcs12: .pkcs12
        case .unknown: .noKey
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
            do throws(CertificateError) {
                return try ProviderCertificate(x509: entry.certificate.x509)
            } catch {
                throw .damaged("a certificate in the file cannot be read")
            }
        }
    }
}
