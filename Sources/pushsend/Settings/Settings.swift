internal import APNSVocabulary
import PushCommandLine
import PushPlatform
import PushProvider
import PushYAML

/// What is set besides flags: environment variables, the project file, the user's file, in this order of precedence.
///
/// In a file, the settings of the chosen profile override those that the file sets for all profiles.
struct Settings: Sendable {
    /// The settings of one origin.
    struct Layer: Sendable {
        var settings: [SettingName: Setting] = [:]
        var devices: [NamedDevice] = []
        var isFile = true
        /// The folder of the file.
        var folder = ""
    }

    /// From the highest precedence to the lowest.
    private(set) var layers: [Layer]
    /// The name of the profile; `nil` if none is used.
    private(set) var profile: String?
    /// The settings of a project file that are used only if the file is trusted.
    private(set) var untrusted: [SettingName: Setting] = [:]
    private(set) var warnings: [String] = []
    /// Nicknames of an untrusted project file that mean another device in the user's file.
    private(set) var contested: [String: (project: NamedDevice, user: NamedDevice)] = [:]
    /// Whether the devices of the project file are those of an untrusted file.
    private var hasUntrustedDevices = false

    static func variables(_ environment: Variables = .ofProcess) -> Settings {
        Settings(layers: [variableLayer(environment)])
    }

    /// Warnings about variables that no command reads.
    static func misspeltVariables(_ environment: Variables = .ofProcess) -> [String] {
        let known = SettingName.allCases.map(\.variable) + Fallback.allCases.map(\.variable)
        return environment.misspelt("PUSHSEND_", among: known).map { name, meant in
            "warning: there is no variable \(name.printable). Did you mean \(meant)?"
        }
    }

    private init(layers: [Layer]) {
        self.layers = layers
    }

    private static func variableLayer(_ environment: Variables) -> Layer {
        var layer = Layer(isFile: false)
        for name in SettingName.allCases {
            guard let value = environment[name.variable], !value.isEmpty else { continue }
            layer.settings[name] = Setting(value: value, origin: .variable(name.variable))
        }
        return layer
    }

    // MARK: Files

    /// Reads the configuration files.
    ///
    /// - Parameter name: The profile of a flag; `nil` for the one that a variable or a file chooses.
    /// - Returns: The settings of the variables and the files.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/badConfiguration`` for a file with mistakes, and for a profile that does not
    ///   exist.
    static func read(profile name: String?) throws -> Settings {
        let project = try ConfigLocation.project.read()
        let user = try ConfigLocation.user.read()
        // Without a home folder there is no list of trusted files.
        let isTrusted = project.flatMap { config in (try? TrustedFiles.ofUser)?.trusts(config) } ?? false
        return try Settings(profile: name, project: project, isTrusted: isTrusted, user: user)
    }

    /// Combines the variables with the files.
    init(
        profile name: String?, project: ReadConfig?, isTrusted: Bool, user: ReadConfig?,
        environment: Variables = .ofProcess
    ) throws {
        layers = [Self.variableLayer(environment)]
        let variable = environment[set: Fallback.profile.variable]
        profile = name ?? variable ?? project?.file.chosen?.text ?? user?.file.chosen?.text
        let files = [project, user].compactMap(\.self)
        if let profile, !files.contains(where: { $0.file.profile(named: profile) != nil }) {
            let chosen = name == nil && variable == nil ? project?.file.chosen : nil
            guard let chosen else {
                throw ProfileChoice(files: files.map(\.file)).failure(
                    profile, flag: name != nil, variable: variable != nil)
            }
            // A project names the profile that each of its developers has. Flags can say the same.
            warnings.append(
                """
                note: \(chosen.position.lineText) chooses the profile "\(profile)", which you don't \
                have: pushsend profile add \(profile)
                """)
        }
        if let project { add(project, isTrusted: isTrusted) { .project($0) } }
        if let user {
            if user.isWritableByAnyone {
                throw CommandFailure(
                    .badConfiguration,
                    "\"\(user.path)\" can be changed by every user of this machine: chmod 600 \(ShellWord.quoted(user.absolutePath))"
                )
            }
            let ofProject = layers.flatMap(\.devices)
            add(user, isTrusted: true) { .user($0) }
            if !isTrusted { contest(ofProject, user.file) }
        }
        hasUntrustedDevices = project != nil && !isTrusted
        for file in [isTrusted ? project : nil, user].compactMap(\.self) { warnOfOpenModes(file) }
        if let project, !isTrusted { noteOtherServer(project) }
        if !untrusted.isEmpty, let project { warnings.append(Self.distrust(untrusted, project.path)) }
    }

    /// Adds the layers of a file: the profile, and what the file sets for all profiles.
    private mutating func add(_ config: ReadConfig, isTrusted: Bool, _ origin: (ConfigPosition) -> SettingOrigin) {
        let folder = URL(filePath: config.absolutePath).deletingLastPathComponent().path(percentEncoded: false)
        let own = profile.flatMap { config.file.profile(named: $0)?.layer }
        for layer in [own, config.file.common].compactMap(\.self) {
            var added = Layer(folder: folder)
            for (name, value) in layer.settings {
                let setting = Setting(value: value.text, origin: origin(value.position))
                if isTrusted || !name.needsTrust {
                    added.settings[name] = setting
                } else if untrusted[name] == nil {
                    untrusted[name] = setting
                }
            }
            added.devices = layer.devices.map {
                NamedDevice(nickname: $0.nickname.text, token: $0.token.text, origin: origin($0.nickname.position))
            }
            layers.append(added)
        }
    }

    /// Finds nicknames with which an untrusted file would redirect a push to another device: those that mean another device
    /// anywhere in the user's file, also in a profile that is not chosen.
    private mutating func contest(_ devices: [NamedDevice], _ user: ConfigFile) {
        // The chosen profile of the user comes first, then the settings for all profiles, then the other profiles.
        var ofUser: [String: NamedDevice] = [:]
        let chosen = profile.flatMap { user.profile(named: $0)?.layer }
        for layer in [chosen, user.common].compactMap(\.self) + user.profiles.map(\.layer) {
            for device in layer.devices where ofUser[device.nickname.text] == nil {
                ofUser[device.nickname.text] = NamedDevice(
                    nickname: device.nickname.text, token: device.token.text, origin: .user(device.nickname.position))
            }
        }
        var seen: Set<String> = []
        for device in devices where seen.insert(device.nickname).inserted {
            guard let user = ofUser[device.nickname], user.token != device.token else { continue }
            contested[device.nickname] = (device, user)
        }
    }

    private mutating func warnOfOpenModes(_ config: ReadConfig) {
        let layers = config.file.profiles.map(\.layer) + [config.file.common]
        let namesPassphrase = layers.contains {
            $0.settings[.passphraseFile] != nil || $0.settings[.passphraseCommand] != nil
        }
        guard namesPassphrase, config.isOpenToOthers else { return }
        warnings.append(
            """
            warning: "\(config.path)" says where a passphrase is, and other users can read it: \
            chmod 600 \(ShellWord.quoted(config.absolutePath))
            """)
    }

    /// Says that a project file that is not trusted chooses Apple's server instead of the user's one, which it may.
    private mutating func noteOtherServer(_ project: ReadConfig) {
        guard let environment = server?.environment, case .project = environment.origin,
            let endpoint = layers.lazy.compactMap({ $0.settings[.endpoint] }).first
        else { return }
        warnings.append(
            """
            note: \(environment.origin.description) chooses \(environment.value), instead of the server \(endpoint.value) of \
            \(endpoint.origin.description)
            """)
    }

    private static func distrust(_ settings: [SettingName: Setting], _ path: String) -> String {
        let names = SettingName.allCases.filter { settings[$0] != nil }.map(\.rawValue)
        return """
            warning: "\(path)" sets \(names.joined(separator: ", ")), which is ignored because the file isn't trusted. \
            Read it, then: pushsend profile trust
            """
    }

    // MARK: Values

    /// The setting with the highest precedence.
    subscript(name: SettingName) -> Setting? { all(name).first }

    /// All settings of this name, from the highest precedence to the lowest.
    func all(_ name: SettingName) -> [Setting] { layers.compactMap { $0.settings[name] } }

    func value(_ name: SettingName) -> String? { self[name]?.value }

    /// The files and the folder of the credentials with the highest precedence, if a setting names them.
    ///
    /// - Throws: ``CommandFailure`` if variables name several.
    func credentials() throws -> CredentialSetting? {
        let text = Fallback.keyText.value
        for layer in layers {
            let names = SettingName.credentials.filter { layer.settings[$0] != nil }
            let hasText = !layer.isFile && text != nil
            if names.isEmpty, !hasText { continue }
            if hasText, names.contains(.key) {
                throw CommandFailure.usage("PUSHSEND_KEY and PUSHSEND_KEY_PEM are both set: unset one, or give --key.")
            }
            if names.contains(.key) || hasText, names.contains(where: { $0 != .key }) {
                throw CommandFailure.usage(
                    """
                    The environment has both a key (PUSHSEND_KEY or PUSHSEND_KEY_PEM) and a certificate: choose with --key, \
                    --p12 or --cert.
                    """)
            }
            if hasText, let text { return .keyText(text) }
            if let key = layer.settings[.key] { return .key(key) }
            // Of two certificates in variables, the .p12 counts, which has both parts.
            return layer.settings[.p12].map(CredentialSetting.p12) ?? layer.settings[.cert].map(CredentialSetting.cert)
        }
        return nil
    }

    /// A setting that belongs to credentials, such as their key id. One in a file belongs to the credentials in that file, or to
    /// those below it, and does not count for those of a flag or a variable.
    func companion(_ name: SettingName, ofFile isFile: Bool) -> String? {
        companions(ofFile: isFile).lazy.compactMap { $0.settings[name]?.value }.first
    }

    /// The layers whose settings belong to the credentials: down to the one that names them.
    private func companions(ofFile isFile: Bool) -> [Layer] {
        let layers = layers.filter { !$0.isFile || isFile }
        let named = layers.firstIndex { layer in
            layer.isFile && SettingName.credentials.contains { layer.settings[$0] != nil }
        }
        return named.map { Array(layers[...$0]) } ?? layers
    }

    /// Where the passphrase is.
    ///
    /// - Parameter isFile: Whether a configuration file names the credentials. Otherwise only variables count.
    /// - Returns: The file or the command; `nil` if none is set.
    func passphraseSource(ofFile isFile: Bool) -> PassphraseSource? {
        for layer in companions(ofFile: isFile) {
            if let file = layer.settings[.passphraseFile] { return .file(file.value) }
            if let command = layer.settings[.passphraseCommand] { return .command(command, folder: layer.folder) }
        }
        return nil
    }

    /// The server that the settings choose: at the highest precedence that chooses one.
    var server: (endpoint: Setting?, environment: Setting?)? {
        for layer in layers {
            if let endpoint = layer.settings[.endpoint] { return (endpoint, nil) }
            if let environment = layer.settings[.environment] { return (nil, environment) }
        }
        return nil
    }

    /// Whether a command uses this setting: another one with a higher precedence can choose the server or the credentials.
    ///
    /// - Parameters:
    ///   - setting: The setting with the highest precedence of its name.
    ///   - name: Its name.
    /// - Returns: `false` if it has no effect.
    func uses(_ setting: Setting, of name: SettingName) -> Bool {
        let credentials = (try? credentials()) ?? nil
        let isFile = credentials?.isFile ?? false
        switch name {
        case .endpoint: return server?.endpoint == setting
        case .environment: return server?.endpoint == nil
        case .port: return server?.endpoint == nil
        case .key: return credentials == .key(setting)
        case .p12: return credentials == .p12(setting)
        case .cert: return credentials == .cert(setting)
        case .keyID, .identity, .certKey: return companion(name, ofFile: isFile) == setting.value
        case .passphraseFile: return passphraseSource(ofFile: isFile) == .file(setting.value)
        case .passphraseCommand:
            if case .command(setting, _)? = passphraseSource(ofFile: isFile) { return true }
            return false
        default: return true
        }
    }

    /// The CA file for a server. One beside an endpoint in a file is for that endpoint alone.
    func authorities(forFileEndpoint isFileEndpoint: Bool) -> String? {
        let hasEndpoint = layers.contains { $0.isFile && $0.settings[.endpoint] != nil }
        return layers.first { layer in
            layer.settings[.cacert] != nil && (!layer.isFile || !hasEndpoint || isFileEndpoint)
        }?.settings[.cacert]?.value
    }

    /// Adds to a failure about a missing file where a configuration file names it.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - path: The missing file.
    /// - Returns: The failure with the position, if a configuration file names the path.
    func locating(_ failure: CommandFailure, ofFile path: String) -> CommandFailure {
        guard failure.status == .noSuchFile else { return failure }
        let settings = layers.lazy.filter(\.isFile).flatMap { $0.settings.filter { $0.key.isPath } }
        guard let name = settings.first(where: { $0.value.value == path })?.value.origin.location else {
            return failure
        }
        var located = failure
        located.message =
            "\(name): \(failure.message) Correct it with \"pushsend profile add NAME --update\", or in the file."
        return located
    }

    /// Refuses to send to a server other than the one in an untrusted file, unless a flag or a variable chooses the server.
    func refuseOtherServer(isChosen: Bool) throws {
        guard let endpoint = untrusted[.endpoint], !isChosen, server?.endpoint?.origin.isFile ?? true,
            layers[0].settings[.environment] == nil
        else { return }
        throw CommandFailure(
            .badConfiguration,
            """
            \(endpoint.origin.description) chooses the server \(endpoint.value), but the file isn't trusted. Read it, then \
            "pushsend profile trust"; or choose the server with -e, --endpoint or --mock.
            """)
    }
}

// MARK: Devices

extension Settings {
    /// The devices, each nickname once, at its highest precedence.
    var devices: [NamedDevice] {
        var seen: Set<String> = []
        return layers.flatMap(\.devices).filter { seen.insert($0.nickname).inserted }
    }

    /// The device, if there is only one. One that only an untrusted file names must be named.
    var onlyDevice: NamedDevice? {
        guard devices.count == 1, let device = devices.first, contested[device.nickname] == nil else { return nil }
        if hasUntrustedDevices, case .project = device.origin { return nil }
        return device
    }

    /// Returns the device token for a nickname; any other word unchanged.
    ///
    /// - Throws: ``CommandFailure`` if an untrusted project file gives the nickname to another device than the user's file.
    func token(_ text: String) throws -> String {
        if let (project, user) = contested[text] {
            throw CommandFailure(
                .badConfiguration,
                """
                The nickname "\(text)" means different devices in \(project.origin.description) (not trusted) and in \
                \(user.origin.description): give the token itself, or trust the file with "pushsend profile trust".
                """)
        }
        return devices.first { $0.nickname == text }?.token ?? text
    }

    /// Returns the device token for a nickname of the usual profile; any other word unchanged. The files are only read for
    /// a word that can be a nickname, so that a mistake in them does not prevent anything else.
    static func defaultToken(_ text: String) throws -> String {
        guard SettingValue.mistake(inNickname: text) == nil else { return text }
        return try read(profile: nil).token(text)
    }

    /// Returns a sentence about a word that is neither a nickname nor a device token; `nil` if there are no nicknames, or
    /// the word cannot be one.
    func unknownDevice(_ text: String) -> String? {
        let names = devices.map(\.nickname)
        guard !names.isEmpty, SettingValue.mistake(inName: text, of: "nickname") == nil, text.utf8.count < 40 else {
            return nil
        }
        let place = profile.map { "the profile \"\($0)\"" } ?? "the configuration"
        let start = "There is no device \"\(text)\" in \(place)"
        if let meant = NearestName.nearest(to: text, of: names) { return "\(start). Did you mean \(meant)?" }
        let more = names.count > Self.maximumShown ? " and \(names.count - Self.maximumShown) more" : ""
        return "\(start): it has \(names.prefix(Self.maximumShown).joined(separator: ", "))\(more)."
    }

    /// The most nicknames that a sentence lists. Of more, it has the number.
    private static let maximumShown = 20
}

/// Environment variables that a configuration file cannot replace.
enum Fallback: String, CaseIterable {
    case exportToken = "EXPORT_TOKEN"
    case keyText = "KEY_PEM"
    case mockToken = "MOCK_TOKEN"
    case passphrase = "PASSPHRASE"
    case profile = "PROFILE"
    case state = "STATE"
    case token = "TOKEN"

    var variable: String { "PUSHSEND_\(rawValue)" }

    /// The value of the variable; an empty value counts as absent.
    var value: String? { Variables.ofProcess[set: variable] }

    /// The device token of `PUSHSEND_TOKEN`, if it is set.
    static var tokens: [String] { token.value.map { [$0] } ?? [] }
}
