import PushProvider

/// The files of a certificate and its key.
enum IdentitySource: Equatable {
    case p12(String, name: String?)
    case pem(certificate: String, key: String?)

    func identity(_ passphrase: Passphrase?) throws(CredentialsError) -> PushIdentity {
        switch self {
        case .p12(let file, let name): try PushIdentity(p12File: file, passphrase: passphrase, name: name)
        case .pem(let certificate, let key):
            try PushIdentity(certificateFile: certificate, keyFile: key, passphrase: passphrase)
        }
    }

    /// The same file, with one of the identities in it chosen.
    func choosing(_ name: String) -> IdentitySource {
        guard case .p12(let file, _) = self else { return self }
        return .p12(file, name: name)
    }

    /// The file that a passphrase opens.
    var lockedFile: String {
        switch self {
        case .p12(let file, _): file
        case .pem(let certificate, let key): key ?? certificate
        }
    }

    /// How curl takes the same files. A colon in a name would begin a passphrase.
    var curlFlags: [String] {
        func flag(_ name: String, _ path: String) -> String {
            let path = AbsolutePath.of(path)
            return "\(name) \(ShellWord.quoted(name == "--cert" ? path.replacing(":", with: "\\:") : path))"
        }
        switch self {
        case .p12(let file, _): return [flag("--cert", file) + " --cert-type P12"]
        case .pem(let certificate, let key):
            return [flag("--cert", certificate)] + (key.map { [flag("--key", $0)] } ?? [])
        }
    }
}
