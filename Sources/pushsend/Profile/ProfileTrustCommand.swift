import ArgumentParser
import PushPlatform
import PushProvider

struct ProfileTrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Trust pushsend.yaml in the current folder: use its credentials and its server.",
        discussion: """
            Example:
              pushsend profile trust

            It shows what the file sets, and asks. The trust applies to the path and the content of the file: after a \
            change, you have to trust the file again. It doesn't cover the files that it names, such as a script in \
            passphrase_command.
            """)

    @Flag(name: [.short, .long], help: "Trust the file without asking. Scripts need it.")
    var yes = false

    @Flag(help: "Stop trusting the file.")
    var revoke = false

    func run() throws {
        let trusted = try TrustedFiles.ofUser
        guard let config = try ConfigLocation.project.read() else {
            throw CommandFailure(
                .noSuchFile,
                "There is no \(ConfigLocation.projectFile) in the current folder, so there is nothing to trust.")
        }
        if revoke {
            let was = try trusted.distrust(config)
            return Output.note(was ? "\(config.path) is no longer trusted." : "\(config.path) wasn't trusted.")
        }
        if trusted.trusts(config) { return Output.note("\(config.path) is trusted already.") }
        let layers = [("", config.file.common)] + config.file.profiles.map { ("\($0.name.text): ", $0.layer) }
        let rows = layers.flatMap { prefix, layer in
            SettingName.allCases.filter(\.needsTrust).compactMap { name in
                layer.settings[name].map { "  \(prefix)\(name.rawValue): \($0.text.printable)" }
            }
        }
        let devices = try Self.devices(config)
        let hint =
            rows.isEmpty && devices.isEmpty
            ? "\(config.path) sets no credentials and no server."
            : "\(config.path) sets:\n" + (rows + devices).joined(separator: "\n")
        if !yes {
            guard Prompt.isPossible else {
                Output.note(hint)
                throw CommandFailure.usage("Give --yes to trust the file without being asked.")
            }
            guard try Prompt.agrees("Trust the file?", hint: hint) else {
                throw CommandFailure(.interrupted, "The file isn't trusted.")
            }
        }
        try trusted.trust(config)
        Output.note("\(config.path) is trusted, until its content changes.")
    }

    /// The chosen profile, and the nicknames, with those of the user that they replace. These count before the others.
    private static func devices(_ config: ReadConfig) throws -> [String] {
        let user = try ConfigLocation.user.read()?.file
        let ofUser = ((user?.common.devices ?? []) + (user?.profiles.flatMap(\.layer.devices) ?? []))
        let own = Dictionary(ofUser.map { ($0.nickname.text, $0.token.text) }) { first, _ in first }
        var rows = config.file.chosen.map { ["  profile: \($0.text.printable)"] } ?? []
        var others = 0
        for device in config.file.common.devices + config.file.profiles.flatMap(\.layer.devices) {
            let row = "  device \(device.nickname.text.printable): \(DeviceToken.shortened(device.token.text))"
            if let token = own[device.nickname.text], token != device.token.text {
                rows.append("\(row), instead of yours, \(DeviceToken.shortened(token))")
            } else if rows.count < mostRows {
                rows.append(row)
            } else {
                others += 1
            }
        }
        return others == 0 ? rows : rows + ["  \(others) other devices, which replace none of yours"]
    }

    /// The maximum number of rows about devices. Further devices are counted, unless they replace one of the user's.
    private static let mostRows = 50
}
