public import PushPlatform
internal import PushWire

/// A push certificate with its private key, for the TLS handshake with Apple.
///
/// Source: Apple, "Establishing a certificate-based connection to APNs".
public struct PushIdentity: Sendable, CustomStringConvertible {
    package let certificate: PushCertificate
    /// Possible problems, as sentences: it expires in less than 30 days, or other users can read the file.
    public let warnings: [String]

    let identity: ClientIdentity

    /// Reads a PKCS#12 file that was exported by Keychain, OpenSSL, Java or another program, with current or old
    /// encryption. Its base64, as in a secret of a CI system, is accepted too.
    ///
    /// - Parameters:
    ///   - p12File: The path of the `.p12` or `.pfx`.
    ///   - passphrase: Its passphrase; `nil` and an empty passphrase have the same meaning.
    ///   - name: The identity to use, if there are several: its name, or a part of the name that only one identity has.
    ///   - now: The current time, for the dates of the certificate.
    /// - Throws: ``PushCredentialsError``; `expired` if the certificate has expired.
    public init(
        p12File: String, passphrase: PushPassphrase? = nil, name: String? = nil, now: Date = Date()
    ) throws(PushCredentialsError) {
        let file = try OpenedIdentityFile(p12File: p12File, passphrase: passphrase)
        try self.init(file, name, now)
    }

    /// Creates an identity from the contents of a PKCS#12 file, for example from a secret store.
    ///
    /// - Parameters:
    ///   - p12: The contents of the `.p12`.
    ///   - passphrase: Its passphrase; `nil` and an empty passphrase have the same meaning.
    ///   - name: The identity to use, if there are several.
    ///   - now: The current time, for the dates of the certificate.
    /// - Throws: ``PushCredentialsError``; `expired` if the certificate has expired.
    public init(
        p12: some Sequence<UInt8>, passphrase: PushPassphrase? = nil, name: String? = nil, now: Date = Date()
    ) throws(PushCredentialsError) {
        var bytes = Array(p12)
        defer { SecretBytes.wipe(&bytes) }
        let file = try OpenedIdentityFile(p12: bytes, passphrase: passphrase, name: "the .p12", warnings: [])
        try self.init(file, name, now)
    }

    /// Reads a certificate, its chain and its key from PEM files.
    ///
    /// - Parameters:
    ///   - certificateFile: The path of the certificate file.
    ///   - keyFile: The path of the key file; `nil` if the key is in the certificate file.
    ///   - passphrase: The passphrase of the key, if it is encrypted.
    ///   - now: The current time, for the dates of the certificate.
    /// - Throws: ``PushCredentialsError``; `expired` if the certificate has expired.
    public init(
        certificateFile: String, keyFile: String? = nil, passphrase: PushPassphrase? = nil, now: Date = Date()
    ) throws(PushCredentialsError) {
        let file = try OpenedIdentityFile(certificateFile: certificateFile, keyFile: keyFile, passphrase: passphrase)
        try self.init(file, nil, now)
    }

    /// Creates an identity from a certificate, its chain and its key in PEM, for example from a secret store.
    ///
    /// - Parameters:
    ///   - certificatePEM: The certificate; it may contain the key too.
    ///   - keyPEM: The key; `nil` if `certificatePEM` contains it.
    ///   - passphrase: The passphrase of the key, if it is encrypted.
    ///   - now: The current time, for the dates of the certificate.
    /// - Throws: ``PushCredentialsError``; `expired` if the certificate has expired.
    public init(
        certificatePEM: some Sequence<UInt8>, keyPEM: [UInt8]? = nil, passphrase: PushPassphrase? = nil,
        now: Date = Date()
    ) throws(PushCredentialsError) {
        var bytes = Array(certificatePEM)
        defer { SecretBytes.wipe(&bytes) }
        let file = try OpenedIdentityFile(
            certificate: bytes, key: keyPEM, passphrase: passphrase, name: "the certificate", warnings: [])
        try self.init(file, nil, now)
    }

    /// Reads a file with a certificate and its key, whatever its form is: PKCS#12 or PEM.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - passphrase: Its passphrase.
    /// - Throws: ``PushCredentialsError``; `expired` if the certificate has expired.
    package init(file: String, passphrase: PushPassphrase? = nil) throws(PushCredentialsError) {
        try self.init(try OpenedIdentityFile(file: file, passphrase: passphrase), nil, Date())
    }

    private init(_ file: OpenedIdentityFile, _ name: String?, _ now: Date) throws(PushCredentialsError) {
        identity = try file.identity(named: name)
        certificate = PushCertificate(identity.certificate)
        if certificate.expires < now { throw .expired(certificate, file: file.name) }
        warnings = file.warnings + Self.warnings(about: certificate, now)
    }

    private static func warnings(about certificate: PushCertificate, _ now: Date) -> [String] {
        var warnings: [String] = []
        let days = certificate.daysLeft(at: now)
        if days < 30 {
            let left = counted(days, "day is left", "days are left")
            warnings.append(
                "The certificate \"\(certificate)\" expires on \(certificate.expires.day), \(left): create a new one.")
        }
        if certificate.validFrom > now {
            warnings.append(
                """
                The certificate "\(certificate)" is valid only from \(certificate.validFrom.day): check the clock of this \
                machine.
                """
            )
        }
        if !certificate.sendsPushes {
            warnings.append("\"\(certificate)\" is a \(certificate.kind): use a push certificate.")
        }
        return warnings
    }

    /// The name of the identity: the common name of the certificate.
    public var name: String { identity.name }

    /// The friendly name in the file.
    public var friendlyName: String? { identity.friendlyName }

    /// The topics that the certificate may send to, in its order; empty if it has none.
    public var topics: [String] { certificate.topics }

    /// When the certificate expires.
    public var expires: Date { certificate.expires }

    /// The name of the certificate, without key material.
    public var description: String { "certificate \"\(name)\"" }
}

extension PushIdentity {
    /// One of the identities in a file. It may have expired.
    package struct Entry: Sendable, Hashable {
        /// The name that selects the identity.
        package let name: String
        package let friendlyName: String?
        package let certificate: PushCertificate
    }

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
