import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

struct ChannelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The app's bundle id, without a suffix. Default: PUSHSEND_TOPIC, or that of the profile.",
            valueName: "bundle-id"))
    var topic: String?

    @OptionGroup var profileOption: ProfileOption

    @OptionGroup(title: "Credentials: a key") var signerOptions: SignerOptions
    @OptionGroup(title: "Credentials: a certificate") var identityOptions: IdentityOptions
    @OptionGroup(title: "Server") var targetOptions: TargetOptions

    @Option(help: ArgumentHelp("The time limit, such as 30s or 500ms. Default: 30s.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @Flag(name: [.short, .long], help: "Show what happens on the connection.")
    var verbose = false

    func validate() throws {
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be longer than zero.") }
    }

    static func channel(_ text: String) throws -> PushChannel.ID {
        return try rethrowing(try PushChannel.ID(text)) { (error: PushConfigurationError) in
            CommandFailure(.invalidInput, error.description)
        }
    }

    func bundleID(_ settings: Settings) throws -> String {
        guard let bundleID = topic ?? settings.value(.topic) else {
            throw CommandFailure.usage("There is no bundle id: give --topic, the app's bundle id.")
        }
        return bundleID
    }
}
