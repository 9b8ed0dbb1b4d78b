internal import PushLint
internal import PushPlatform
import PushProvider
internal import PushYAML

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
    static let mostBytes = 256 << 10
    /// The maximum number of aliases in a file. No configuration needs many, and each makes a file harder to check.
    private static let mostAliases = 16
    private static let limits = YAMLLimits(bytes: mostBytes, aliases: mostAliases)

    /// - Throws: ``ConfigProblem``
    func read(_ bytes: [UInt8]) throws(ConfigProblem) -> ConfigFile {
        guard let root = try compose(bytes) else { return ConfigFile() }
        return try file(root)
    }

    private func compose(_ bytes: [UInt8]) throws(ConfigProblem) -> YAMLNode? {
        return try rethrowing(try YAMLDocument.read(bytes, limits: Self.limits)) { (error: YAMLError) in
            problem(position(error.position), error.message(about: "file", limits: Self.limits))
        }
    }

    // MARK: Structure

    private func file(_ root: YAMLNode) throws(ConfigProblem) -> ConfigFile {
        var file = ConfigFile()
        if root.isEmpty { return file }
        for (key, value) in try pairs(of: root, "The file") {
            switch key.text {
            case "profile":
                let name = try located(value, key)
                try checkName(name)
                file.chosen = name
            case "profiles":
                file.profiles = try profiles(value)
            default:
                try add(key, value, to: &file.common, isTop: true)
            }
        }
        try check(file.common)
        return file
    }

    private func profiles(_ node: YAMLNode) throws(ConfigProblem) -> [ConfigFile.Profile] {
        if node.isEmpty { return [] }
        var profiles: [ConfigFile.Profile] = []
        for (name, value) in try pairs(of: node, "\"profiles\"") {
            try checkName(name)
            var layer = ConfigFile.Layer()
            if !value.isEmpty {
                for (key, value) in try pairs(of: value, "The profile \"\(name.text)\"") {
                    try add(key, value, to: &layer, isTop: false)
                }
            }
            try check(layer)
            profiles.append(ConfigFile.Profile(name: name, layer: layer))
        }
        return profiles
    }

    private func add(
        _ key: ConfigFile.Located, _ value: YAMLNode, to layer: inout ConfigFile.Layer, isTop: Bool
    ) throws(ConfigProblem) {
        if key.text == "devices" {
            layer.devices = try devices(value)
        } else if let name = SettingName(rawValue: key.text) {
            layer.settings[name] = try setting(name, try located(value, key))
        } else {
            throw problem(key.position, SettingKey.remedy(for: key.text, isTop: isTop))
        }
    }

    private func devices(_ node: YAMLNode) throws(ConfigProblem) -> [ConfigFile.Device] {
        if node.isEmpty { return [] }
        var devices: [ConfigFile.Device] = []
        for (nickname, value) in try pairs(of: node, "\"devices\"") {
            if let mistake = SettingValue.mistake(inNickname: nickname.text) {
                throw problem(nickname.position, mistake)
            }
            var token = try located(value, nickname)
            token.text = try rethrowing(try PastedDeviceToken(token.text).token.hex) { (error: DeviceTokenError) in
                problem(token.position, "The device \"\(nickname.text)\": \(error)")
            }
            devices.append(ConfigFile.Device(nickname: nickname, token: token))
        }
        return devices
    }

    // MARK: Values

    private func setting(
        _ name: SettingName, _ value: ConfigFile.Located
    ) throws(ConfigProblem) -> ConfigFile.Located {
        var value = value
        if name.isPath { value.text = path(value.text) }
        if let mistake = SettingValue.mistake(in: value.text, for: name) { throw problem(value.position, mistake) }
        return value
    }

    /// Returns an absolute path.
    private func path(_ text: String) -> String {
        if text.hasPrefix("/") { return text }
        if text.hasPrefix("~/"), let home { return home + text.dropFirst() }
        return folder.hasSuffix("/") ? folder + text : "\(folder)/\(text)"
    }

    /// Refuses settings of one layer that contradict each other.
    private func check(_ layer: ConfigFile.Layer) throws(ConfigProblem) {
        let contradictions: [[SettingName]] = [
            SettingName.credentials, [.environment, .endpoint], [.passphraseFile, .passphraseCommand],
        ]
        for names in contradictions {
            let given = names.compactMap { name in layer.settings[name].map { (name, $0.position) } }
                .sorted { ($0.1.line, $0.1.column) < ($1.1.line, $1.1.column) }
            if given.count > 1 {
                throw problem(
                    given[1].1,
                    "\"\(given[0].0.rawValue)\" and \"\(given[1].0.rawValue)\" can't be combined: remove one of them.")
            }
        }
        let companions: [(SettingName, SettingName)] = [(.identity, .p12), (.certKey, .cert)]
        for (companion, owner) in companions {
            if let value = layer.settings[companion], layer.settings[owner] == nil {
                throw problem(
                    value.position, "\"\(companion.rawValue)\" belongs to \"\(owner.rawValue)\", which is missing.")
            }
        }
    }

    private func checkName(_ name: ConfigFile.Located) throws(ConfigProblem) {
        if let mistake = SettingValue.mistake(inName: name.text, of: "profile") {
            throw problem(name.position, mistake)
        }
    }

    // MARK: Nodes

    private func pairs(
        of node: YAMLNode, _ name: String
    ) throws(ConfigProblem) -> [(key: ConfigFile.Located, value: YAMLNode)] {
        guard case .mapping(let members) = node.content else {
            throw problem(position(node.position), "\(name) must consist of lines such as \"key: value\".")
        }
        return members.map { member in
            (ConfigFile.Located(text: member.key.text, position: position(member.keyPosition)), member.value)
        }
    }

    private func located(_ node: YAMLNode, _ key: ConfigFile.Located) throws(ConfigProblem) -> ConfigFile.Located {
        guard case .scalar(let scalar) = node.content else {
            throw problem(position(node.position), "\"\(key.text.printable)\" takes one value, not a list or a group.")
        }
        guard !node.isEmpty else {
            throw problem(
                key.position, "\"\(key.text.printable)\" has no value: write one after the colon, or remove the line.")
        }
        return ConfigFile.Located(text: scalar.text, position: position(node.position))
    }

    private func position(_ position: YAMLPosition) -> ConfigPosition {
        ConfigPosition(file: file, line: position.line, column: position.column)
    }

    // MARK: Problems

    private func problem(_ position: ConfigPosition, _ message: String) -> ConfigProblem {
        ConfigProblem(position: position, message: message)
    }
}
