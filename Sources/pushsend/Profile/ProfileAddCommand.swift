import ArgumentParser
import PushCommandLine
import PushPlatform
import PushProvider

struct ProfileAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a profile.",
        discussion: """
            Example:
              pushsend profile add coffee --topic com.example.coffee -e sandbox \\
                --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
                --device phone=5f3ad1c07b9e4286

            Without values, it asks for them on a terminal. The first profile is used from then on unless --profile names \
            another one. The files stay where they are: the profile contains their paths, and no secret.

            --update changes only what you give, --unset and --remove-device remove a value.
            """)

    @Argument(help: ArgumentHelp("The name of the profile.", valueName: "name"), completion: .profiles)
    var name: String?

    @OptionGroup(title: "Values") var values: ProfileValues

    @Flag(help: "Change an existing profile: values that you don't give stay as they are.")
    var update = false

    @Option(
        help: ArgumentHelp(
            "With --update: remove this value of the profile, such as proxy. Repeatable.", valueName: "key"),
        completion: .list(SettingName.allCases.map(\.rawValue)))
    var unset: [String] = []

    @Option(
        name: .customLong("remove-device"),
        help: ArgumentHelp("With --update: remove this nickname. Repeatable.", valueName: "nickname"))
    var removedDevices: [String] = []

    @Flag(name: .customLong("default"), help: "Use this profile from now on unless another one is chosen.")
    var isDefault = false

    @Flag(help: "Write to pushsend.yaml in the current folder, for everyone who works on the project.")
    var project = false

    func validate() throws {
        guard update || (unset.isEmpty && removedDevices.isEmpty) else {
            throw ValidationError("--unset and --remove-device change an existing profile: add --update.")
        }
    }

    mutating func run() throws {
        let editor = try ConfigEditor(project ? .project : .user)
        do {
            if name == nil, Prompt.isPossible { try askForName(editor) }
            guard let name else { throw CommandFailure.usage("There is no name: pushsend profile add NAME.") }
            _ = try SettingValue.profileName(name)
            let existing = editor.before?.file.profile(named: name)
            if existing != nil, !update {
                throw CommandFailure.usage(
                    "The profile \"\(name)\" exists already. To change only what you give, add --update.")
            }
            if existing == nil, update {
                throw CommandFailure(
                    .badConfiguration,
                    "There is no profile \"\(name)\" in \"\(editor.shownPath)\" to change: leave out --update.")
            }
            if existing == nil, values.settings.isEmpty, values.devices.isEmpty {
                guard Prompt.isPossible else {
                    throw CommandFailure.usage("There are no values: give --key and --topic, for example.")
                }
                try ProfileQuestions.fill(&values)
            }
            let profile = try merged(existing.map { NewProfile($0) } ?? NewProfile(name: name))
            let isFirst = editor.before?.file.profiles.isEmpty ?? true
            let becomesDefault = isDefault || isFirst && editor.before?.file.chosen == nil
            try editor.put(profile, isDefault: becomesDefault)
            printSaved(profile, editor.shownPath, isDefault: becomesDefault || editor.before?.file.chosen?.text == name)
        } catch is Prompt.Unanswered {
            throw CommandFailure(.interrupted, "Nothing was saved.")
        }
    }

    private mutating func askForName(_ editor: ConfigEditor) throws {
        name = try Prompt.ask("Name", hint: "A name for the profile, such as that of the app.") { answer in
            let name = try SettingValue.profileName(answer)
            if editor.before?.file.profile(named: name) != nil {
                throw CommandFailure.usage("The profile \"\(name)\" exists already.")
            }
            return name
        }
    }

    /// Returns the profile with the given values instead of its own.
    private func merged(_ old: NewProfile) throws -> NewProfile {
        var profile = old
        let given = try values.checkedSettings()
        // New credentials or another server replace the old ones with everything that belongs to them.
        let groups: [[SettingName]] = [
            [.key, .keyID, .p12, .identity, .cert, .certKey, .passphraseFile, .passphraseCommand],
            [.environment, .endpoint, .port],
        ]
        let heads: [Set<SettingName>] = [Set(SettingName.credentials), [.environment, .endpoint]]
        for (group, head) in zip(groups, heads) where given.keys.contains(where: head.contains) {
            for name in group { profile.settings[name] = nil }
        }
        for key in unset {
            guard let name = SettingName(rawValue: key), profile.settings.removeValue(forKey: name) != nil else {
                throw CommandFailure.usage(
                    "The profile has no value \"\(key.printable)\". It has: \(profile.settings.keys.map(\.rawValue).sorted().joined(separator: ", "))."
                )
            }
        }
        for nickname in removedDevices {
            guard profile.devices.contains(where: { $0.nickname == nickname }) else {
                throw CommandFailure.usage("The profile has no device \"\(nickname.printable)\".")
            }
            profile.devices.removeAll { $0.nickname == nickname }
        }
        profile.settings.merge(given) { $1 }
        for device in try values.checkedDevices() {
            profile.devices.removeAll { $0.nickname == device.nickname }
            profile.devices.append(device)
        }
        return profile
    }

    private func printSaved(_ profile: NewProfile, _ path: String, isDefault: Bool) {
        Output.note("Saved the profile \(profile.name) in \(path.printable).")
        let choice = isDefault ? "" : " --profile \(profile.name)"
        let device = profile.devices.first?.nickname ?? "TOKEN"
        Output.note("Send with it: pushsend send \(device)\(choice) -m Hello")
        if project, profile.settings.keys.contains(where: \.needsTrust) {
            Output.note("To use its credentials, server and CA, trust the file: pushsend profile trust")
        }
    }
}

/// Asks on a terminal for the values of a profile.
enum ProfileQuestions {
    static func fill(_ values: inout ProfileValues) throws {
        try askForCredentials(&values)
        values.topic = try MessageQuestion.askForTopic(nil, teamID: values.teamID)
        values.environment = try MessageQuestion.askForEnvironment()
        try askForDevice(&values)
    }

    private static func askForCredentials(_ values: inout ProfileValues) throws {
        let file = try KeyQuestion.askForFile(
            "The key, AuthKey_XXXXXXXXXX.p8, or a certificate with its key, .p12 or .pem.")
        switch KeyQuestion.kind(file) {
        case .p12: values.p12 = file
        case .pem: values.cert = file
        case .key:
            values.key = file
            if PushProviderKey.keyID(inFileName: file) == nil {
                values.keyID = try KeyQuestion.askForKeyID("The key id, ten characters.")
            }
            let keyID = values.keyID ?? PushProviderKey.keyID(inFileName: file)
            values.teamID = try KeyQuestion.askForTeamID(keyID: keyID)
        }
    }

    private static func askForDevice(_ values: inout ProfileValues) throws {
        let token = try Prompt.ask(
            "Device token", hint: "The token of a device, as the app printed it. Press Enter for none."
        ) { $0.isEmpty ? nil : try ProfileValues.token($0) }
        guard let token else { return }
        let nickname = try Prompt.ask("Nickname", hint: "A nickname for the device, such as phone.") {
            try SettingValue.nickname($0)
        }
        values.devices.append("\(nickname)=\(token)")
    }
}
