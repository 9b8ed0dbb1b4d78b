internal import PushProvider
import PushYAML

struct Setting: Equatable, Sendable {
    var value: String
    var origin: SettingOrigin

    /// The value as it may be shown: without the user and password of a proxy, and without the text of a key in the place of its file.
    func shown(as name: SettingName) -> String {
        if name.isPath, KeyFile.isContents(value) { return "(not shown)" }
        guard name == .proxy, let at = value.lastIndex(of: "@") else { return value }
        return "http://(not shown)\(value[at...])"
    }
}

/// The origin of a setting, from the highest precedence to the lowest. Flags have a higher precedence, but are not settings.
enum SettingOrigin: Equatable, Sendable {
    case variable(String)
    case project(ConfigPosition)
    case user(ConfigPosition)

    var isFile: Bool {
        if case .variable = self { false } else { true }
    }

    /// The position in a configuration file: `FILE:LINE:COLUMN`; `nil` for a variable.
    var location: String? {
        switch self {
        case .variable: nil
        case .project(let position), .user(let position): position.description
        }
    }

    /// The name in messages: a variable, or a file with its line.
    var description: String {
        switch self {
        case .variable(let name): name
        case .project(let position), .user(let position): position.lineText
        }
    }
}

struct NamedDevice: Equatable, Sendable {
    var nickname: String
    var token: String
    var origin: SettingOrigin
}

/// A setting of a profile. The raw value is its key in a configuration file.
enum SettingName: String, CaseIterable, Sendable {
    case topic
    case environment
    case endpoint
    case port
    case cacert
    case proxy
    case key
    case keyID = "key_id"
    case teamID = "team_id"
    case p12
    case identity
    case cert
    case certKey = "cert_key"
    case passphraseFile = "passphrase_file"
    case passphraseCommand = "passphrase_command"

    /// The environment variable that overrides configuration files.
    var variable: String { "PUSHSEND_\(rawValue.uppercased())" }

    /// Whether the value is a path. In a configuration file it is relative to the folder of that file.
    var isPath: Bool { [.cacert, .key, .p12, .cert, .certKey, .passphraseFile].contains(self) }

    /// Whether the setting of a project file is used only after `profile trust`: it names credentials or a command, or decides which
    /// server sees the pushes.
    var needsTrust: Bool { ![.topic, .environment, .port].contains(self) }

    /// The settings that name credentials. A layer has at most one of them.
    static let credentials: [SettingName] = [.key, .p12, .cert]
}

enum CredentialSetting: Equatable {
    case key(Setting)
    /// The text of a key, from a variable.
    case keyText(String)
    case p12(Setting)
    case cert(Setting)

    /// Whether a configuration file names them.
    var isFile: Bool {
        switch self {
        case .key(let setting), .p12(let setting), .cert(let setting): setting.origin.isFile
        case .keyText: false
        }
    }
}

enum PassphraseSource: Equatable {
    case file(String)
    case command(Setting, folder: String)
}
