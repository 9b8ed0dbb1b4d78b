import PushCommandLine
import PushPlatform
import PushProvider

/// The credentials of `pushsend doctor`, and the hop about them. If they cannot be used, the hop fails and the command continues.
struct DoctorSigner {
    /// `nil` if none were given, or if they cannot be used.
    let credentials: PushCredentials?
    let hop: Hop

    /// - Throws: ``CommandFailure`` if the options contradict each other, or no mock is running.
    init(_ options: DoctorCommand, _ settings: Settings) throws {
        if let source = try options.identityOptions.source(beside: options.signerOptions, settings) {
            (credentials, hop) = try Self.reading(.certificate) {
                var reader = try IdentityReader(
                    source, options.identityOptions, settings, mayAsk: Prompt.isPossible && !options.json)
                let identity = try reader.read(printsWarnings: false)
                return (
                    .identity(identity),
                    SignerHops.certificate(identity.certificate, warnings: identity.warnings, now: Date())
                )
            }
        } else if options.signerOptions.mock || options.signerOptions.hasOwnKey(settings) {
            let file = try options.signerOptions.ownKeySource(settings)?.file
            let isMocks = options.signerOptions.mock && options.signerOptions.keyFile == nil
            // Without a running mock there is no server either.
            if options.signerOptions.mock { _ = try MockNote.ofRunningMock(on: try options.signerOptions.state.path) }
            (credentials, hop) = try Self.reading(.key) {
                let key = try options.signerOptions.providerKey(settings, printsWarnings: false)
                return (.token(key), SignerHops.key(key, file: isMocks ? nil : file))
            }
        } else {
            (credentials, hop) = (nil, SignerHops.absent)
        }
    }

    /// The certificate; `nil` with a key.
    var certificate: PushCertificate? { credentials?.certificate }

    private static func reading(
        _ name: Hop.Name, _ body: () throws -> (PushCredentials, Hop)
    ) throws -> (PushCredentials?, Hop) {
        do {
            return try body()
        } catch let failure as CommandFailure {
            return (nil, SignerHops.unusable(name, failure))
        }
    }
}
