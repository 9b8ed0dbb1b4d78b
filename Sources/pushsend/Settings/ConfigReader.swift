internal import PushLint
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

    /// - Throws: ``ConfigProblem``
    func read(_ bytes: [UInt8]) throws(ConfigProblem) -> ConfigFile {
        guard let root = try compose(bytes) else { return ConfigFile() }
        return try file(root)
    }

    private func compose(_ bytes: [UInt8]) throws(ConfigProblem) -> YAMLNode? {
        do throws(YAMLError) {
            return try YAMLDocument.read(
                bytes, limits: YAMLLimits(bytes: Self.mostBytes, aliases: Self.mostAliases))
        } catch {
            throw problem(error)
        }
    }

    // MARK: Structure

    private func file(_ root: YAMLNode) throws(ConfigProblem) -> ConfigFile {
        var file = ConfigFile()
        if Self.isEmpty(root) { return file }
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
        if Self.isEmpty(node) { return [] }
        var profiles: [ConfigFile.Profile] = []
        for (name, value) in try pairs(of: node, "\"profiles\"") {
            try checkName(name)
            var layer = ConfigFile.Layer()
            if !Self.isEmpty(value) {
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
        if Self.isEmpty(node) { return [] }
        var devices: [ConfigFile.Device] = []
        for (nickname, value) in try pairs(of: node, "\"devices\"") {
            if let mistake = SettingValue.mistake(inNickname: nickname.text) {
                throw problem(nickname.position, mistake)
            }
            var token = try located(value, nickname)
            do throws(DeviceTokenError) {
                token.text = try PastedDeviceToken(token.text).token.hex
            } catch {
                throw problem(token.position, "The device \"\(nickname.text)\": \(error)")
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
                    "\"\(given[0].0.rawValue)\" and \"\(given[1].0.rawValue)\" cannot be combined: remove one of them.")
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

    private static func isEmpty(_ node: YAMLNode) -> Bool {
        guard case .scalar(let scalar) = node.content else { return false }
        return scalar.isPlain && ["", "~", "null"].contains(scalar.text)
    }

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
        guard !Self.isEmpty(node) else {
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

    private func problem(_ error: YAMLError) -> ConfigProblem {
        let message =
            switch error.kind {
            case .tooLong: "The file is larger than \(Self.mostBytes / 1024) KB, the maximum for a configuration."
            case .notUTF8: "The file is not UTF-8: save it as UTF-8."
            case .syntax(let what): "This is not valid YAML: \(Self.advice(what))."
            case .duplicateKey(let key, let first):
                "\"\(key.printable)\" occurs twice, also in line \(first.line): give one of them another name, or "
                    + "remove it."
            case .keyIsNoScalar: "A key must be a word."
            case .tooManyValues, .tooDeep: "The file has too many values or levels for a configuration."
            case .tooManyAliases:
                "The file has more than \(Self.mostAliases) YAML aliases (*name): replace the aliases with their values."
            case .noMemory: "There is not enough memory to read the file."
            }
        return problem(position(error.position), message)
    }

    private static func advice(_ problem: String) -> String {
        if problem.contains("cannot start any token") { return "a tab or a reserved character; indent with spaces" }
        if problem.contains("mapping values are not allowed") {
            return "a second colon in one line; put the value in quotation marks"
        }
        return problem
    }
}
