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
        let warnings = file.warnings(path)
        try self.init(p12: file.bytes, passphrase: passphrase, name: "\"\(path)\"", warnings: warnings)
    }

    init(p12: [UInt8], passphrase: PushPassphrase?, name: String, warnings: [String]) throws(PushCredentialsError) {
        try self.init(name, warnings, try IdentityFile(p12: p12, passphrase: passphrase?.buffer))
    }

    /// Opens one file, whatever its form is: PKCS#12, or PEM with certificate and key.
    init(file path: String, passphrase: PushPassphrase?) throws(PushCredentialsError) {
        var file = try KeyFile(path: path)
        defer { SecretBytes.wipe(&file.bytes) }
        try self.init(
            "\"\(path)\"", file.warnings(path),
            try IdentityFile(file: file.bytes, passphrase: passphrase?.buffer))
    }

    init(certificateFile: String, keyFile: String?, passphrase: PushPassphrase?) throws(PushCredentialsError) {
        var certificate = try KeyFile(path: certificateFile)
        defer { SecretBytes.wipe(&certificate.bytes) }
        guard let keyFile else {
            try self.init(
                certificate: certificate.bytes, key: nil, passphrase: passphrase, name: "\"\(certificateFile)\"",
                warnings: certificate.warnings(certificateFile))
            return
        }
        var key = try KeyFile(path: keyFile)
        defer { SecretBytes.wipe(&key.bytes) }
        try self.init(
            certificate: certificate.bytes, key: key.bytes, passphrase: passphrase,
            name: "\"\(certificateFile)\" with \"\(keyFile)\"", warnings: key.warnings(keyFile))
    }

    init(
        certificate: [UInt8], key: [UInt8]?, passphrase: PushPassphrase?, name: String, warnings: [String]
    ) throws(PushCredentialsError) {
        try self.init(
            name, warnings, try IdentityFile(certificate: certificate, key: key, passphrase: passphrase?.buffer))
    }

    private init(
        _ name: String, _ warnings: [String], _ open: @autoclosure () throws(IdentityError) -> IdentityFile
    ) throws(PushCredentialsError) {
        file = try rethrowing(try open()) { (error: IdentityError) in PushCredentialsError(error, name: name) }
        self.name = name
        self.warnings = warnings
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
