internal import PushPlatform

/// The client identities of one file, or of a pair of files.
package struct IdentityFile: Sendable {
    /// All identities, in the order of the file; at least one.
    package let identities: [ClientIdentity]

    /// Opens PKCS#12 with current (PBES2) or old (RC2, 3DES) encryption. The contents may be base64.
    ///
    /// - Parameters:
    ///   - p12: The contents of a `.p12`.
    ///   - passphrase: Its passphrase. If it is `nil` or empty, both no passphrase and an empty passphrase are tried.
    /// - Throws: ``IdentityError``.
    package init(p12: [UInt8], passphrase: SecretBuffer? = nil) throws(IdentityError) {
        try self.init(p12: p12, passphrase: passphrase, legacy: { LegacyProvider.shared })
    }

    init(
        p12: [UInt8], passphrase: SecretBuffer?, legacy: @escaping () -> LegacyProvider?
    ) throws(IdentityError) {
        try Self.checkSize(p12)
        identities = try RestoredFile.with(p12) { file throws(IdentityError) in
            switch CredentialFileKind(restored: file) {
            case .pkcs12: break
            case .privateKey, .certificate, .identity: throw .pem(CredentialFileKind(restored: file))
            case .certificateDER: throw .noPrivateKey(found: .certificateDER)
            case .privateKeyDER: throw .keyInDER
            case let kind?: throw .otherKind(kind)
            case nil: throw .unknownFile
            }
            let contents = try PKCS12Opener(file: file, passphrase: passphrase, legacy: legacy).open()
            return try contents.identities()
        }
    }

    /// Opens a certificate with its key in one file, whatever its form is: PKCS#12 or PEM.
    ///
    /// - Parameters:
    ///   - file: The contents.
    ///   - passphrase: Its passphrase.
    /// - Throws: ``IdentityError``.
    package init(file: [UInt8], passphrase: SecretBuffer? = nil) throws(IdentityError) {
        if CredentialFileKind(file) == .pkcs12 {
            try self.init(p12: file, passphrase: passphrase)
        } else {
            try self.init(certificate: file, passphrase: passphrase)
        }
    }

    /// Reads a certificate, its chain and its key from PEM. The key may be encrypted, and may be in a separate file or
    /// in the certificate file. A certificate file may also be DER.
    ///
    /// - Parameters:
    ///   - certificate: The contents of the certificate file.
    ///   - key: The contents of the key file; `nil` if the key is in the certificate file.
    ///   - passphrase: The passphrase of the key.
    /// - Throws: ``IdentityError``.
    package init(certificate: [UInt8], key: [UInt8]? = nil, passphrase: SecretBuffer? = nil) throws(IdentityError) {
        try Self.checkSize(certificate)
        if let key { try Self.checkSize(key) }
        identities = try PEMIdentity.contents(certificate: certificate, key: key, passphrase: passphrase).identities()
    }

    package var names: [String] { identities.map(\.name) }

    /// Returns the identity with a name: its friendly name or the common name of its certificate. Without a name,
    /// returns the only identity.
    ///
    /// - Parameter name: The whole name, or a part that only one identity has. The part may be in upper or lower case.
    /// - Returns: The identity.
    /// - Throws: ``IdentityError``, `several` or `noSuchName`.
    package func identity(named name: String? = nil) throws(IdentityError) -> ClientIdentity {
        guard let name, !name.isEmpty else {
            guard identities.count == 1 else { throw .several(names) }
            return identities[0]
        }
        let exact = identities.filter { $0.name == name || $0.friendlyName == name }
        if exact.count == 1 { return exact[0] }
        let part = name.lowercased()
        let similar = identities.filter { identity in
            [identity.name, identity.friendlyName ?? ""].contains { $0.lowercased().contains(part) }
        }
        guard exact.isEmpty, similar.count == 1 else {
            throw .noSuchName(name, of: names, matches: max(exact.count, similar.count))
        }
        return similar[0]
    }

    private static func checkSize(_ file: [UInt8]) throws(IdentityError) {
        guard file.contains(where: { !$0.isJSONSpace }) else { throw .empty }
        guard file.count <= IdentityFileLimit.maximumBytes else { throw .tooLarge }
    }
}
