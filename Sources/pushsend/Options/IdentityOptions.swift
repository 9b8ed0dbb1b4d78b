import ArgumentParser
import PushCommandLine
import PushProvider

/// The options for a certificate with its key, instead of a `.p8`.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A .p12 or .pfx file with a certificate and its key.", valueName: "file"),
        completion: .file())
    var p12: String?

    @Option(
        name: .customLong("identity"), parsing: .unconditional,
        help: ArgumentHelp("The name of the certificate to use if the .p12 contains several.", valueName: "name")
    )
    var name: String?

    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp("A PEM file with the certificate, and its key if there is no --cert-key.", valueName: "pem"),
        completion: .file()
    )
    var certificate: String?

    @Option(
        name: .customLong("cert-key"),
        help: ArgumentHelp("A PEM file with the certificate's key.", valueName: "pem"),
        completion: .file()
    )
    var certificateKey: String?

    @OptionGroup var passphrase: PassphraseOptions

    func validate() throws {
        try PassphraseOptions.refusePassphrases(in: [p12, certificate, certificateKey])
        if p12 != nil, certificate != nil {
            throw ValidationError(notTogether("--p12", "--cert"))
        }
    }

    /// Refuses options that belong to a certificate that is not given.
    private func refuseLonely(_ settings: Settings) throws {
        guard name != nil && p12 == nil || certificateKey != nil && certificate == nil else { return }
        let given = try settings.credentials()
        if name != nil, p12 == nil {
            guard case .p12 = given else {
                throw CommandFailure.usage("--identity selects an identity in a .p12: it needs --p12.")
            }
        }
        if certificateKey != nil, certificate == nil {
            guard case .cert = given else {
                throw CommandFailure.usage("--cert-key is the key of a certificate: it needs --cert.")
            }
        }
    }

    /// Returns what opens the certificate from the flags or the settings; `nil` if a key is used.
    func reader(beside signer: SignerOptions, _ settings: Settings, mayAsk: Bool) throws -> IdentityReader? {
        try source(beside: signer, settings).map { try IdentityReader($0, self, settings, mayAsk: mayAsk) }
    }

    /// Returns the certificate from the flags or the settings; `nil` if a key is used.
    func source(beside signer: SignerOptions, _ settings: Settings) throws -> IdentitySource? {
        try refuseLonely(settings)
        if let given = given(settings) {
            guard signer.keyFile == nil else {
                let other = p12 == nil ? "--cert" : "--p12"
                throw CommandFailure.usage(
                    "--key is a .p8 and can't be combined with \(other). For the key of a PEM certificate, use --cert-key."
                )
            }
            return given
        }
        // A certificate in the environment or a profile is for Apple. The mock has its own key.
        guard signer.keyFile == nil, !signer.mock, let credentials = try settings.credentials() else { return nil }
        switch credentials {
        case .p12(let file):
            return .p12(file.value, name: name ?? settings.companion(.identity, ofFile: credentials.isFile))
        case .cert(let file):
            return .pem(
                certificate: file.value,
                key: certificateKey ?? settings.companion(.certKey, ofFile: credentials.isFile))
        case .key, .keyText: return nil
        }
    }

    /// The certificate of the flags; `nil` if they name none.
    private func given(_ settings: Settings) -> IdentitySource? {
        if let p12 { return .p12(p12, name: name ?? settings.companion(.identity, ofFile: false)) }
        if let certificate {
            return .pem(
                certificate: certificate, key: certificateKey ?? settings.companion(.certKey, ofFile: false))
        }
        return nil
    }

    /// Whether a configuration file names the certificate, so that it also says where the passphrase is.
    func isFromFile(_ settings: Settings) throws -> Bool {
        guard p12 == nil, certificate == nil else { return false }
        return try settings.credentials()?.isFile ?? false
    }
}
