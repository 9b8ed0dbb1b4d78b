internal import PushPlatform
internal import PushWire

extension PushIdentity {
    /// Returns the identities in the contents of a PKCS#12 file.
    ///
    /// - Parameters:
    ///   - p12: The contents.
    ///   - passphrase: Its passphrase.
    ///   - name: The name of the file in errors.
    /// - Returns: At least one, in the order of the file.
    /// - Throws: ``PushCredentialsError``.
    package static func list(
        p12: [UInt8], passphrase: PushPassphrase?, name: String
    ) throws(PushCredentialsError) -> [Entry] {
        try OpenedIdentityFile(p12: p12, passphrase: passphrase, name: name, warnings: []).entries
    }

    /// Returns the identities in the contents of one file with certificate and key.
    ///
    /// - Parameters:
    ///   - certificate: The contents, PEM or DER.
    ///   - passphrase: The passphrase of the key.
    ///   - name: The name of the file in errors.
    /// - Returns: At least one.
    /// - Throws: ``PushCredentialsError``.
    package static func list(
        certificate: [UInt8], passphrase: PushPassphrase?, name: String
    ) throws(PushCredentialsError) -> [Entry] {
        try OpenedIdentityFile(
            certificate: certificate, key: nil, passphrase: passphrase, name: name, warnings: []
        ).entries
    }
}

extension PushCertificate {
    /// Returns the certificates in the contents of a file, PEM or DER, without their keys.
    ///
    /// - Parameters:
    ///   - contents: The contents.
    ///   - name: The name of the file in errors.
    /// - Returns: At least one, in the order of the file.
    /// - Throws: ``PushCredentialsError``.
    package static func list(contents: [UInt8], name: String) throws(PushCredentialsError) -> [PushCertificate] {
        return try rethrowing(try ProviderCertificate.list(file: contents).map(PushCertificate.init)) {
            (error: IdentityError) in
            PushCredentialsError(error, name: name)
        }
    }
}
