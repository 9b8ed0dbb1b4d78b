import PushCommandLine
import PushPlatform
import PushProvider

/// Offers to save as a profile what a user has typed and Apple has accepted.
struct ProfileOffer {
    let profile: NewProfile
    /// The device token; `nil` if it is in a profile already, or there are several.
    let token: String?

    /// - Returns: `nil` if there is nothing to save.
    init?(
        sentTo tokens: [String], topic: String?, _ signer: SignerOptions, _ identity: IdentityOptions,
        _ target: TargetOptions
    ) {
        guard !signer.mock else { return nil }
        let endpoint = target.endpoint.map {
            $0.host.contains(":") ? "[\($0.host)]:\($0.port)" : "\($0.host):\($0.port)"
        }
        let values: [SettingName: String?] = [
            .topic: topic, .environment: target.environment?.rawValue, .endpoint: endpoint,
            .port: target.port.map { "\($0)" }, .cacert: target.authorities, .proxy: target.proxy,
            .key: signer.keyFile, .keyID: signer.keyID, .teamID: signer.teamID, .p12: identity.p12,
            .identity: identity.name, .cert: identity.certificate, .certKey: identity.certificateKey,
            .passphraseFile: identity.passphrase.file,
        ]
        var settings = values.compactMapValues(\.self).filter { !SingleUseInput.isOne($0.value) || !$0.key.isPath }
        for name in settings.keys where name.isPath { settings[name] = settings[name].map(AbsolutePath.of) }
        // A proxy with a password stays out of the file.
        settings = settings.filter { SettingValue.mistake(in: $0.value, for: $0.key) == nil }
        guard !settings.isEmpty else { return nil }
        profile = NewProfile(name: "", settings: settings)
        token = tokens.count == 1 ? (try? PastedDeviceToken(tokens[0]))?.token.hex : nil
    }

    /// Asks for a name, and saves the profile. A failure is only reported: the push was accepted.
    func make() {
        do {
            let editor = try ConfigEditor(.user)
            guard let name = try askForName(editor) else { return }
            var profile = profile
            profile.name = name
            if let device = try askForNickname() { profile.devices = [device] }
            let isFirst = editor.before?.file.profiles.isEmpty ?? true
            let isDefault = isFirst && editor.before?.file.chosen == nil
            try editor.put(profile, isDefault: isDefault)
            let command = ["pushsend send", profile.devices.first?.nickname ?? "TOKEN"]
            let choice = isDefault ? [] : ["--profile \(name)"]
            Output.note("Saved in \(editor.shownPath.printable). Next time:")
            Output.note("  \((command + choice + ["-m Hello"]).joined(separator: " "))")
        } catch is Prompt.Unanswered {
            return
        } catch {
            let failure = CommandFailure.from(error)
            if !failure.message.isEmpty { Output.note("The profile wasn't saved: \(failure.message)") }
        }
    }

    private func askForName(_ editor: ConfigEditor) throws -> String? {
        try Prompt.ask(
            "Profile name",
            hint: "Enter a name to save these values as a profile, or press Enter to continue without a profile."
        ) { answer in
            if answer.isEmpty { return nil }
            _ = try SettingValue.profileName(answer)
            if editor.before?.file.profile(named: answer) != nil {
                throw CommandFailure.usage("The profile \"\(answer)\" exists already: type another name.")
            }
            return answer
        }
    }

    private func askForNickname() throws -> (nickname: String, token: String)? {
        guard let token else { return nil }
        return try Prompt.ask(
            "Nickname", hint: "A nickname for the device, such as phone. Press Enter for none."
        ) { answer in
            answer.isEmpty ? nil : (try SettingValue.nickname(answer), token)
        }
    }
}
