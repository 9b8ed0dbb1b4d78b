/// The client identities of one file, or of a pair of files.
package struct IdentityFile: Sendable {
    /// No certificate with its key and its chain comes near this.
    package static let mostBytes = 4 << 20

    /// All of them, in the order of the file; at least one.
    package let identities: [ClientIdentity]

    /// Opens PKCS#12, of today (PBES2) and of old (RC2, 3DES).
    ///
    /// - Parameters:
    ///   - p12: The contents of a `.p12`.
    ///   - passphrase: Its passphrase. Without one, or with an empty one, both forms of having none are tried.
    /// - Throws: ``IdentityError``.
    package init(p12: [UInt8], passphrase: SecretBuffer? = nil) throws(IdentityError) {
        try self.init(p12: p12, passphrase: passphrase, legacy: { LegacyProvider.shared })
    }

    init(
        p12: [UInt8], passphrase: SecretBuffer?, legacy: @escaping () -> LegacyProvider?
    ) throws(IdentityError) {
        try Self.checkSize(p12)
        if let problem = IdentityFileKind(p12).problemAsPKCS12 { throw problem }
        let contents = try PKCS12Opener(file: p12, passphrase: passphrase, legacy: legacy).open()
        identities = try contents.identities()
    }

    /// Reads a certificate, the chain above it and its key from PEM; the key may be encrypted, in a file of its own or
    /// in that of the certificate. Of certificate files, DER is read too.
    ///
    /// - Parameters:
    ///   - certificate: The contents of the certificate file.
    ///   - key: The contents of the key file; `nil` when the key is in the certificate file.
    ///   - passphrase: The passphrase of the key.
    /// - Throws: ``IdentityError``.
    package init(certificate: [UInt8], key: [UInt8]? = nil, passphrase: SecretBuffer? = nil) throws(IdentityError) {
        try Self.checkSize(certificate)
        if let key { try Self.checkSize(key) }
        identities = try PEMIdentity.contents(certificate: certificate, key: key, passphrase: passphrase).identities()
    }

    /// The names by which they are told apart.
    package var names: [String] { identities.map(\.name) }

    /// The identity with a name, its friendly name or the common name of its certificate; without a name the only one.
    ///
    /// - Parameter name: The whole name, else a part that only one of them has, whatever its case.
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
        guard file.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { throw .empty }
        guard file.count <= mostBytes else { throw .tooLarge }
    }
}
