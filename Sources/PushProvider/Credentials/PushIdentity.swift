internal import PushWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A push certificate with its private key, shown to Apple when the connection is opened.
///
/// Source: Apple, "Establishing a certificate-based connection to APNs".
public struct PushIdentity: Sendable, CustomStringConvertible {
    /// What the certificate says about itself.
    public let certificate: PushCertificate
    /// What may be wrong about it, in sentences: less than 30 days left, a file that others may read.
    public let warnings: [String]

    let identity: ClientIdentity

    /// Reads a PKCS#12 file: one that Keychain exports, or one of OpenSSL, Java and other programs, of today or of old.
    ///
    /// - Parameters:
    ///   - p12File: The path of the `.p12` or `.pfx`.
    ///   - passphrase: Its passphrase; `nil` and an empty one mean the same.
    ///   - name: Which identity, when there are several: its name, or a part of it that only one has.
    ///   - now: The time to which its dates are compared.
    /// - Throws: ``CredentialsError``, `expired` when its time is over.
    public init(
        p12File: String, passphrase: Passphrase? = nil, name: String? = nil, now: Date = Date()
    ) throws(CredentialsError) {
        let file = try OpenedIdentityFile(p12File: p12File, passphrase: passphrase)
        try self.init(file, name, now)
    }

    /// Takes the contents of a PKCS#12 file, for example from a secret store.
    ///
    /// - Parameters:
    ///   - p12: The contents of the `.p12`.
    ///   - passphrase: Its passphrase; `nil` and an empty one mean the same.
    ///   - name: Which identity, when there are several.
    ///   - now: The time to which its dates are compared.
    /// - Throws: ``CredentialsError``, `expired` when its time is over.
    public init(
        p12: some Sequence<UInt8>, passphrase: Passphrase? = nil, name: String? = nil, now: Date = Date()
    ) throws(CredentialsError) {
        var bytes = Array(p12)
        defer { SecretBytes.wipe(&bytes) }
        let file = try OpenedIdentityFile(p12: bytes, passphrase: passphrase, name: "the .p12", warnings: [])
        try self.init(file, name, now)
    }

    /// Reads a certificate, the certificates above it and its key from PEM files.
    ///
    /// - Parameters:
    ///   - certificateFile: The path of the certificate's file.
    ///   - keyFile: The path of the key's file; `nil` when the key is in the certificate's.
    ///   - passphrase: The passphrase of the key, when it is encrypted.
    ///   - now: The time to which its dates are compared.
    /// - Throws: ``CredentialsError``, `expired` when its time is over.
    public init(
        certificateFile: String, keyFile: String? = nil, passphrase: Passphrase? = nil, now: Date = Date()
    ) throws(CredentialsError) {
        let file = try OpenedIdentityFile(certificateFile: certificateFile, keyFile: keyFile, passphrase: passphrase)
        try self.init(file, nil, now)
    }

    /// Takes a certificate, the certificates above it and its key as PEM, for example from a secret store.
    ///
    /// - Parameters:
    ///   - certificatePEM: The certificate; the key may be in here too.
    ///   - keyPEM: The key; `nil` when it is with the certificate.
    ///   - passphrase: The passphrase of the key, when it is encrypted.
    ///   - now: The time to which its dates are compared.
    /// - Throws: ``CredentialsError``, `expired` when its time is over.
    public init(
        certificatePEM: some Sequence<UInt8>, keyPEM: [UInt8]? = nil, passphrase: Passphrase? = nil, now: Date = Date()
    ) throws(CredentialsError) {
        var bytes = Array(certificatePEM)
        defer { SecretBytes.wipe(&bytes) }
        let file = try OpenedIdentityFile(
            certificate: bytes, key: keyPEM, passphrase: passphrase, name: "the certificate", warnings: [])
        try self.init(file, nil, now)
    }

    private init(_ file: OpenedIdentityFile, _ name: String?, _ now: Date) throws(CredentialsError) {
        identity = try file.identity(named: name)
        certificate = PushCertificate(identity.certificate)
        if certificate.expires < now { throw .expired(certificate, file: file.name) }
        warnings = file.warnings + Self.warnings(about: certificate, now)
    }

    private static func warnings(about certificate: PushCertificate, _ now: Date) -> [String] {
        var warnings: [String] = []
        let days = certificate.daysLeft(at: now)
        if days < 30 {
            let left = days == 1 ? "1 day is left" : "\(days) days are left"
            warnings.append(
                "The certificate \"\(certificate)\" ends on \(certificate.expires.day), \(left): have a new one made.")
        }
        if certificate.validFrom > now {
            warnings.append(
                """
                The certificate "\(certificate)" begins on \(certificate.validFrom.day) only: check the clock of this \
                machine.
                """
            )
        }
        if !certificate.sendsPushes {
            warnings.append("\"\(certificate)\" is a \(certificate.kind); pushes need a push certificate.")
        }
        return warnings
    }

    /// How people call it: the common name of the certificate.
    public var name: String { identity.name }

    /// The name that whoever made the file gave it.
    public var friendlyName: String? { identity.friendlyName }

    /// The name of the certificate; nothing of the key.
    public var description: String { "certificate \"\(name)\"" }
}

extension PushIdentity {
    /// One of the identities in a file. Expired ones are among them.
    public struct Entry: Sendable, Hashable {
        /// The name by which it is chosen.
        public let name: String
        /// The name that whoever made the file gave it.
        public let friendlyName: String?
        /// What its certificate says about itself.
        public let certificate: PushCertificate
    }

    /// The identities in a PKCS#12 file.
    ///
    /// - Parameters:
    ///   - p12File: The path of the `.p12` or `.pfx`.
    ///   - passphrase: Its passphrase.
    /// - Returns: At least one, in the order of the file.
    /// - Throws: ``CredentialsError``.
    public static func list(p12File: String, passphrase: Passphrase? = nil) throws(CredentialsError) -> [Entry] {
        try OpenedIdentityFile(p12File: p12File, passphrase: passphrase).entries
    }

    /// The identity in PEM files, as a list.
    ///
    /// - Parameters:
    ///   - certificateFile: The path of the certificate's file.
    ///   - keyFile: The path of the key's file; `nil` when the key is in the certificate's.
    ///   - passphrase: The passphrase of the key, when it is encrypted.
    /// - Returns: At least one.
    /// - Throws: ``CredentialsError``.
    public static func list(
        certificateFile: String, keyFile: String? = nil, passphrase: Passphrase? = nil
    ) throws(CredentialsError) -> [Entry] {
        try OpenedIdentityFile(certificateFile: certificateFile, keyFile: keyFile, passphrase: passphrase).entries
    }
}
