import ArgumentParser
import PushProvider

/// The options for a certificate with its key, instead of a `.p8`.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: .customLong("p12"),
        help: ArgumentHelp("A .p12 or .pfx file with a certificate and its key.", valueName: "file"),
        completion: .file()
    )
    var p12: String?

    @Option(
        name: .customLong("identity"),
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
            throw ValidationError("--p12 and --cert cannot be combined: give one of them.")
        }
        if name != nil, p12 == nil, Fallback.value("P12") == nil {
            throw ValidationError("--identity selects an identity in a .p12: it needs --p12.")
        }
        if certificateKey != nil, certificate == nil, Fallback.value("CERT") == nil {
            throw ValidationError("--cert-key is the key of a certificate: it needs --cert.")
        }
    }

    /// Returns the certificate from the flags or the environment; `nil` if a key is used.
    func source(beside signer: SignerOptions) throws -> IdentitySource? {
        if let given {
            guard signer.keyFile == nil else {
                let other = p12 == nil ? "--cert" : "--p12"
                throw CommandFailure.usage(
                    "--key is a .p8 and cannot be combined with \(other). For the key of a PEM certificate, use --cert-key."
                )
            }
            return given
        }
        // A certificate in the environment is for Apple. The mock has its own key.
        guard signer.keyFile == nil, !signer.mock, let fallback else { return nil }
        guard Fallback.value("KEY") == nil, Fallback.value("KEY_PEM") == nil else {
            throw CommandFailure.usage(
                "The environment has both a key (PUSHSEND_KEY or PUSHSEND_KEY_PEM) and a certificate: choose with --key, --p12 or --cert."
            )
        }
        return fallback
    }

    /// The certificate of the flags; `nil` if they name none.
    private var given: IdentitySource? {
        if let p12 { return .p12(p12, name: name ?? Fallback.value("IDENTITY")) }
        if let certificate { return .pem(certificate: certificate, key: certificateKey ?? Fallback.value("CERT_KEY")) }
        return nil
    }

    /// The certificate of the environment.
    private var fallback: IdentitySource? {
        if let p12 = Fallback.value("P12") { return .p12(p12, name: name ?? Fallback.value("IDENTITY")) }
        if let certificate = Fallback.value("CERT") {
            return .pem(certificate: certificate, key: certificateKey ?? Fallback.value("CERT_KEY"))
        }
        return nil
    }
}
