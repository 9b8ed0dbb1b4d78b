internal import PushLint
internal import PushPlatform
import PushProvider
import PushYAML

/// Reads a configuration file.
///
/// A project file may come from a stranger, so nothing in it may end the process or take long: its size and its aliases
/// are limited, and a key that is not in this table is refused without being read.
struct ConfigReader {
    /// The path for messages.
    let file: String
    /// The folder that relative paths begin at.
    let folder: String
    /// The folder for paths that begin with `~/`.
    let home: String?

    /// The maximum size of a file in bytes.
    static let maximumBytes = 256 << 10
    /// No configuration needs many aliases, and each makes a file harder to check.
    private static let limits = YAMLLimits(bytes: maximumBytes, aliases: 16)

    /// - Throws: ``ConfigMistake``
    func read(_ bytes: [UInt8]) throws(ConfigMistake) -> ConfigFile {
        let root = try ConfigNode.read(bytes, file: self.file, limits: Self.limits)
        var file = ConfigFile()
        for member in try root.members("The file") {
            switch member.key {
            case "profile":
                let name = try located(member)
                try checkName(name)
                file.chosen = name
            case "profiles":
                file.profiles = try profiles(member.value)
            default:
                try add(member, to: &file.common, isTop: true)
            }
        }
        try check(file.common)
        return file
    }

    private func profiles(_ node: ConfigNode) throws(ConfigMistake) -> [ConfigFile.Profile] {
        var profiles: [ConfigFile.Profile] = []
        for profile in try node.members("\"profiles\"") {
            try checkName(profile.name)
            var layer = ConfigFile.Layer()
            for member in try profile.value.members("The profile \"\(profile.key)\"") {
                try add(member, to: &layer, isTop: false)
            }
            try check(layer)
            profiles.append(ConfigFile.Profile(name: profile.name, layer: layer))
        }
        return profiles
    }

    private func add(
        _ member: ConfigNode.Member, to layer: inout ConfigFile.Layer, isTop: Bool
    ) throws(ConfigMistake) {
        if member.key == "devices" {
            layer.devices = try devices(member.value)
        } else if let name = SettingName(rawValue: member.key) {
            layer.settings[name] = try setting(name, try located(member))
        } else {
            throw ConfigMistake(member.location, SettingKey.remedy(for: member.key, isTop: isTop))
        }
    }

    private func devices(_ node: ConfigNode) throws(ConfigMistake) -> [ConfigFile.Device] {
        var devices: [ConfigFile.Device] = []
        for member in try node.members("\"devices\"") {
            if let mistake = SettingValue.mistake(inNickname: member.key) {
                throw ConfigMistake(member.location, mistake)
            }
            var token = try located(member)
            token.text = try rethrowing(try PastedDeviceToken(token.text).token.hex) { (error: DeviceTokenError) in
                ConfigMistake(token.position, "The device \"\(member.key)\": \(error)")
            }
            devices.append(ConfigFile.Device(nickname: member.name, token: token))
        }
        return devices
    }

    // MARK: Values

    private func setting(
        _ name: SettingName, _ value: ConfigFile.Located
    ) throws(ConfigMistake) -> ConfigFile.Located {
        var value = value
        if name.isPath { value.text = path(value.text) }
        if let mistake = SettingValue.mistake(in: value.text, for: name) {
            throw ConfigMistake(value.position, mistake)
        }
        return value
    }

    /// Returns an absolute path.
    private func path(_ text: String) -> String {
        if text.hasPrefix("/") { return text }
        if text.hasPrefix("~/"), let home { return home + text.dropFirst() }
        return folder.hasSuffix("/") ? folder + text : "\(folder)/\(text)"
    }

    /// Refuses settings of one layer that contradict each other.
    private func check(_ layer: ConfigFile.Layer) throws(ConfigMistake) {
        let contradictions: [[SettingName]] = [
            SettingName.credentials, [.environment, .endpoint], [.passphraseFile, .passphraseCommand],
        ]
        for names in contradictions {
            let given = names.compactMap { name in layer.settings[name].map { (name, $0.position) } }
                .sorted { $0.1.order < $1.1.order }
            if given.count > 1 {
                throw ConfigMistake(
                    given[1].1,
                    "\"\(given[0].0.rawValue)\" and \"\(given[1].0.rawValue)\" can't be combined: remove one of them.")
            }
        }
        let companions: [(SettingName, SettingName)] = [(.identity, .p12), (.certKey, .cert)]
        for (companion, owner) in companions {
            if let value = layer.settings[companion], layer.settings[owner] == nil {
                throw ConfigMistake(
                    value.position, "\"\(companion.rawValue)\" belongs to \"\(owner.rawValue)\", which is missing.")
            }
        }
    }

    private func checkName(_ name: ConfigFile.Located) throws(ConfigMistake) {
        if let mistake = SettingValue.mistake(inName: name.text, of: "profile") {
            throw ConfigMistake(name.position, mistake)
        }
    }

    // MARK: Nodes

    private func located(_ member: ConfigNode.Member) throws(ConfigMistake) -> ConfigFile.Located {
        let key = member.key.printable
        guard let text = try member.value.single(key) else {
            throw ConfigMistake(
                member.location, "\"\(key)\" has no value: write one after the colon, or remove the line.")
        }
        return ConfigFile.Located(text: text, position: member.value.location)
    }
}

extension ConfigNode.Member {
    fileprivate var name: ConfigFile.Located { ConfigFile.Located(text: key, position: location) }
}
