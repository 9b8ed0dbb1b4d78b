internal import PushLint
import PushProvider
internal import Yams

/// Reads a configuration file.
///
/// A project file may come from a stranger, so nothing in it may end the process or take long: its size and its aliases
/// are limited, and what is not a key of this table is refused without being read.
struct ConfigReader {
    /// The path for messages.
    let file: String
    /// The folder that relative paths begin at.
    let folder: String
    /// The folder for paths that begin with `~/`.
    let home: String?

    /// The maximum size of a file in bytes.
    static let mostBytes = 256 << 10
    /// The maximum number of aliases in a file. A few of them can stand for a huge amount of text.
    private static let mostAliases = 16

    /// - Throws: ``ConfigProblem``
    func read(_ bytes: [UInt8]) throws(ConfigProblem) -> ConfigFile {
        guard bytes.count <= Self.mostBytes else {
            throw problem(nil, "The file is larger than \(Self.mostBytes / 1024) KB, which no configuration needs.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw problem(nil, "The file is not UTF-8: save it as UTF-8.")
        }
        guard Self.countsOfAliases(text) <= Self.mostAliases else {
            throw problem(nil, "The file has more than \(Self.mostAliases) YAML aliases (*name): write the values out.")
        }
        guard let root = try compose(text) else { return ConfigFile() }
        return try file(root)
    }

    /// The number of words that begin with an asterisk, which may be aliases.
    private static func countsOfAliases(_ text: String) -> Int {
        var before = UInt8(ascii: " ")
        var count = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "*"), " \t\n\r[]{},:?-".utf8.contains(before) { count += 1 }
            before = byte
        }
        return count
    }

    private func compose(_ text: String) throws(ConfigProblem) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw problem(error, in: text)
        } catch {
            throw problem(nil, "The file is not YAML.")
        }
    }

    // MARK: Structure

    private func file(_ root: Node) throws(ConfigProblem) -> ConfigFile {
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

    private func profiles(_ node: Node) throws(ConfigProblem) -> [ConfigFile.Profile] {
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
        _ key: ConfigFile.Located, _ value: Node, to layer: inout ConfigFile.Layer, isTop: Bool
    ) throws(ConfigProblem) {
        if key.text == "devices" {
            layer.devices = try devices(value)
        } else if let name = SettingName(rawValue: key.text) {
            layer.settings[name] = try setting(name, try located(value, key))
        } else {
            throw problem(key.position, SettingKey.remedy(for: key.text, isTop: isTop))
        }
    }

    private func devices(_ node: Node) throws(ConfigProblem) -> [ConfigFile.Device] {
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

    private static func isEmpty(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
    }

    private func pairs(
        of node: Node, _ name: String
    ) throws(ConfigProblem) -> [(key: ConfigFile.Located, value: Node)] {
        guard case .mapping(let mapping) = node else {
            throw problem(position(node.mark), "\(name) must consist of lines such as \"key: value\".")
        }
        var pairs: [(key: ConfigFile.Located, value: Node)] = []
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                throw problem(position(key.mark), "A key must be a word.")
            }
            pairs.append((ConfigFile.Located(text: scalar.string, position: position(key.mark)), value))
        }
        return pairs
    }

    private func located(_ node: Node, _ key: ConfigFile.Located) throws(ConfigProblem) -> ConfigFile.Located {
        guard case .scalar(let scalar) = node else {
            throw problem(position(node.mark), "\"\(key.text.printable)\" takes one value, not a list or a group.")
        }
        guard !Self.isEmpty(node) else {
            throw problem(
                key.position, "\"\(key.text.printable)\" has no value: write one after the colon, or remove the line.")
        }
        return ConfigFile.Located(text: scalar.string, position: position(node.mark))
    }

    private func position(_ mark: Mark?) -> ConfigPosition {
        ConfigPosition(file: file, line: mark?.line ?? 1, column: mark?.column ?? 1)
    }

    // MARK: Problems

    private func problem(_ position: ConfigPosition?, _ message: String) -> ConfigProblem {
        ConfigProblem(position: position ?? ConfigPosition(file: file, line: 1, column: 1), message: message)
    }

    private func problem(_ error: YamlError, in text: String) -> ConfigProblem {
        switch error {
        case .scanner(_, let what, let mark, _), .parser(_, let what, let mark, _), .composer(_, let what, let mark, _):
            return problem(position(mark), "This is not valid YAML: \(Self.advice(what)).")
        case .duplicatedKeysInMapping(let keys, let context):
            return duplicate(keys.first ?? "", context.mark, text)
        case .reader(let what, _, _, _):
            return problem(nil, "This is not valid YAML: \(what).")
        default:
            return problem(nil, "This is not valid YAML.")
        }
    }

    private static func advice(_ problem: String) -> String {
        if problem.contains("cannot start any token") { return "a tab or a reserved character; indent with spaces" }
        if problem.contains("mapping values are not allowed") {
            return "a second colon in one line; put the value in quotation marks"
        }
        return problem
    }

    /// A key that occurs twice. Yams reports the first occurrence.
    private func duplicate(_ key: String, _ first: Mark, _ text: String) -> ConfigProblem {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let second = lines.indices.dropFirst(first.line).first { index in
            let line = lines[index].drop { $0 == " " }
            return lines[index].count - line.count == first.column - 1 && line.hasPrefix("\(key):")
        }
        var position = position(first)
        if let second { position.line = second + 1 }
        let again = second == nil ? "" : ", also in line \(first.line)"
        return problem(
            position, "\"\(key.printable)\" occurs twice\(again): give one of them another name, or remove it.")
    }
}
