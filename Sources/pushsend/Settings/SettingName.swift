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
