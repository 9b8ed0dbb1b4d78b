import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Save an app's key, topic and devices under a name, so that you type them only once.",
        discussion: """
            Example:
              pushsend profile add coffee --topic com.example.coffee \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
                --device phone=5f3ad1c07b9e4286
              pushsend send phone -m Hello

            Profiles are in $XDG_CONFIG_HOME/pushsend/config.yaml (usually ~/.config/pushsend/config.yaml), and, for a \
            project, in pushsend.yaml in the current folder. Flags override PUSHSEND_* variables, these override the \
            project's file, and that overrides the user's file.

            A project's file may come with a cloned repository. Its topic, environment and devices are used \
            immediately; its credentials, server, proxy and CA are used only after "pushsend profile trust".
            """,
        subcommands: [
            ProfileAddCommand.self, ProfileListCommand.self, ProfileShowCommand.self, ProfileCheckCommand.self,
            ProfileRemoveCommand.self, ProfileTrustCommand.self,
        ]
    )
}

struct ProfileRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a profile from its file.",
        discussion: """
            Example:
              pushsend profile remove coffee --yes

            The key and certificate files stay. On a terminal, the command asks first.
            """)

    @Argument(help: ArgumentHelp("The name of the profile.", valueName: "name"), completion: .profiles)
    var name: String

    @Flag(name: [.short, .long], help: "Remove it without asking. Scripts need it.")
    var yes = false

    @Flag(help: "Remove it from pushsend.yaml in the current folder.")
    var project = false

    func run() throws {
        let editor = try ConfigEditor(project ? .project : .user)
        let files = [editor.before?.file].compactMap(\.self)
        guard files.first?.profile(named: name) != nil else {
            throw ProfileChoice(files: files).failure(name, flag: true, variable: false)
        }
        if !yes {
            guard Prompt.isPossible else {
                throw CommandFailure.usage("Give --yes to remove the profile without being asked.")
            }
            guard try Prompt.agrees("Remove it?", hint: "The profile \(name) in \(editor.shownPath).") else {
                throw CommandFailure(.interrupted, "Nothing was removed.")
            }
        }
        try editor.remove(name)
        Output.note("Removed the profile \(name) from \(editor.shownPath.printable).")
    }
}

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
            } else if rows.count < maximumRows {
                rows.append(row)
            } else {
                others += 1
            }
        }
        return others == 0 ? rows : rows + ["  \(others) other devices, which replace none of yours"]
    }

    /// The maximum number of rows about devices. Further devices are counted, unless they replace one of the user's.
    private static let maximumRows = 50
}
