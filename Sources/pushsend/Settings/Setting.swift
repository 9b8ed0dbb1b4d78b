/// A value with its origin.
struct Setting: Equatable, Sendable {
    var value: String
    var origin: SettingOrigin
}

/// The origin of a setting, from the highest precedence to the lowest. Flags have a higher precedence, but are not settings.
enum SettingOrigin: Equatable, Sendable {
    case variable(String)
    case project(ConfigPosition)
    case user(ConfigPosition)

    /// Whether the value is from a configuration file.
    var isFile: Bool {
        if case .variable = self { false } else { true }
    }

    /// The position in a configuration file: `FILE:LINE:COLUMN`; `nil` for a variable.
    var location: String? {
        switch self {
        case .variable: nil
        case .project(let position), .user(let position): "\(position.file):\(position.line):\(position.column)"
        }
    }

    /// The name in messages: a variable, or a file with its line.
    var description: String {
        switch self {
        case .variable(let name): name
        case .project(let position), .user(let position): "\(position.file):\(position.line)"
        }
    }
}

/// A position in a configuration file. Line and column begin with 1.
struct ConfigPosition: Equatable, Sendable {
    /// The path for messages.
    var file: String
    var line: Int
    var column: Int
}

/// A device token with a nickname.
struct NamedDevice: Equatable, Sendable {
    var nickname: String
    var token: String
    var origin: SettingOrigin
}
