import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

struct ProfileValues: ParsableArguments {
    @Option(help: ArgumentHelp("The app's bundle id.", valueName: "bundle-id"))
    var topic: String?

    @Option(
        name: [.short, .customLong("environment")],
        help: ArgumentHelp(
            "sandbox for apps run from Xcode; production for TestFlight, ad hoc and the App Store.",
            valueName: "environment"))
    var environment: EnvironmentArgument?

    @Option(help: ArgumentHelp("The .p8 key file from Apple's developer portal.", valueName: "p8"), completion: .file())
    var key: String?

    @Option(help: ArgumentHelp("The key id. Default: taken from the file name AuthKey_<id>.p8.", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("The team id, shown at developer.apple.com under Membership details.", valueName: "id"))
    var teamID: String?

    @Option(
        help: ArgumentHelp("A .p12 or .pfx file with a certificate and its key.", valueName: "file"),
        completion: .file())
    var p12: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The name of the certificate to use if the .p12 contains several.", valueName: "name"))
    var identity: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificate, and its key if there is no --cert-key.", valueName: "pem"),
        completion: .file())
    var cert: String?

    @Option(help: ArgumentHelp("A PEM file with the certificate's key.", valueName: "pem"), completion: .file())
    var certKey: String?

    @Option(help: ArgumentHelp("A file whose first line is the passphrase.", valueName: "file"), completion: .file())
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "A command that prints the passphrase, such as that of a password manager.", valueName: "command"))
    var passphraseCommand: String?

    @Option(help: ArgumentHelp("Send to this server instead of Apple.", valueName: "host:port"))
    var endpoint: String?

    @Option(help: ArgumentHelp("Apple's other port, 2197, for networks that block 443.", valueName: "port"))
    var port: Int?

    @Option(
        help: ArgumentHelp("Trust only the certificate authorities in this PEM file.", valueName: "file"),
        completion: .file())
    var cacert: String?

    @Option(help: ArgumentHelp("An HTTP proxy, without a password.", valueName: "url"))
    var proxy: String?

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp("A device token with a nickname. Repeatable.", valueName: "nickname=token"))
    var devices: [String] = []

    var settings: [SettingName: String] {
        let all: [SettingName: String?] = [
            .topic: topic, .environment: environment?.rawValue, .key: key, .keyID: keyID, .teamID: teamID, .p12: p12,
            .identity: identity, .cert: cert, .certKey: certKey, .passphraseFile: passphraseFile,
            .passphraseCommand: passphraseCommand, .endpoint: endpoint, .port: port.map { "\($0)" }, .cacert: cacert,
            .proxy: proxy,
        ]
        return all.compactMapValues(\.self)
    }

    /// Returns the values as they are written to a file, with absolute paths.
    func checkedSettings() throws -> [SettingName: String] {
        var settings = settings
        for name in SettingName.allCases {
            guard var value = settings[name] else { continue }
            if name.isPath {
                value = AbsolutePath.of(value)
                settings[name] = value
                guard FileKind(path: value) == .file else {
                    throw CommandFailure(
                        .noSuchFile, "There is no file \"\(value.printable)\" for \"\(name.rawValue)\".")
                }
            }
            if let mistake = SettingValue.mistake(in: value, for: name) { throw CommandFailure.usage(mistake) }
        }
        return settings
    }

    func checkedDevices() throws -> [(nickname: String, token: String)] {
        var seen: Set<String> = []
        return try devices.map { text in
            guard let equals = text.firstIndex(of: "=") else {
                throw CommandFailure.usage(
                    "--device takes a nickname and a device token, such as phone=5f3ad1c07b9e4286.")
            }
            let nickname = String(text[..<equals])
            guard seen.insert(nickname).inserted else {
                throw CommandFailure.usage("--device names \"\(nickname.printable)\" twice: choose two nicknames.")
            }
            return (try SettingValue.nickname(nickname), try Self.token(String(text[text.index(after: equals)...])))
        }
    }

    static func token(_ text: String) throws -> String {
        return try rethrowing(try PastedDeviceToken(text).token.hex) { (error: DeviceTokenError) in
            CommandFailure(.invalidInput, error.description)
        }
    }
}
