internal import PushPlatform
internal import PushWire

/// An opened file of identities, with its name for error messages.
struct OpenedIdentityFile {
    let file: IdentityFile
    let name: String
    let warnings: [String]

    init(p12File path: String, passphrase: PushPassphrase?) throws(PushCredentialsError) {
        var file = try KeyFile(path: path)
        defer { SecretBytes.wipe(&file.bytes) }
        let warnings = Self.warnings(file, path)
        try self.init(p12: file.bytes, passphrase: passphrase, name: "\"\(path)\"", warnings: warnings)
    }

    init(p12: [UInt8], passphrase: PushPassphrase?, name: String, warnings: [String]) throws(PushCredentialsError) {
        file = try rethrowing(try IdentityFile(p12: p12, passphrase: passphrase?.buffer)) { (error: IdentityError) in
            PushCredentialsError(error, name: name)
        }
        self.name = name
        self.warnings = warnings
    }

    /// Opens one file, whatever its form is: PKCS#12, or PEM with certificate and key.
    init(file path: String, passphrase: PushPassphrase?) throws(PushCredentialsError) {
        var contents = try KeyFile(path: path)
        defer { SecretBytes.wipe(&contents.bytes) }
        let name = "\"\(path)\""
        self.name = name
        warnings = Self.warnings(contents, path)
        file = try rethrowing(try IdentityFile(file: contents.bytes, passphrase: passphrase?.buffer)) {
            (error: IdentityError) in
            PushCredentialsError(error, name: name)
        }
    }

    init(certificateFile: String, keyFile: String?, passphrase: PushPassphrase?) throws(PushCredentialsError) {
        var certificate = try KeyFile(path: certificateFile)
        defer { SecretBytes.wipe(&certificate.bytes) }
        guard let keyFile else {
            try self.init(
                certificate: certificate.bytes, key: nil, passphrase: passphrase, name: "\"\(certificateFile)\"",
                warnings: Self.warnings(certificate, certificateFile))
            return
        }
        var key = try KeyFile(path: keyFile)
        defer { SecretBytes.wipe(&key.bytes) }
        try self.init(
            certificate: certificate.bytes, key: key.bytes, passphrase: passphrase,
            name: "\"\(certificateFile)\" with \"\(keyFile)\"", warnings: Self.warnings(key, keyFile))
    }

    init(
        certificate: [UInt8], key: [UInt8]?, passphrase: PushPassphrase?, name: String, warnings: [String]
    ) throws(PushCredentialsError) {
        file = try rethrowing(try IdentityFile(certificate: certificate, key: key, passphrase: passphrase?.buffer)) {
            (error: IdentityError) in
            PushCredentialsError(error, name: name)
        }
        self.name = name
        self.warnings = warnings
    }

    private static func warnings(_ file: KeyFile, _ path: String) -> [String] {
        file.isOpenToOthers ? ["Other users can read \"\(path)\": run chmod 600."] : []
    }

    func identity(named wanted: String?) throws(PushCredentialsError) -> ClientIdentity {
        return try rethrowing(try file.identity(named: wanted)) { (error: IdentityError) in
            PushCredentialsError(error, name: name)
        }
    }

    var entries: [PushIdentity.Entry] {
        file.identities.map {
            PushIdentity.Entry(
                name: $0.name, friendlyName: $0.friendlyName, certificate: PushCertificate($0.certificate))
        }
    }
}
