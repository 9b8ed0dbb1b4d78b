import APNSVocabulary
import PushYAML

/// A value of the configuration with its location, from a file or from the environment.
struct ConfigNode: Hashable, Sendable {
    indirect enum Content: Hashable, Sendable {
        /// There is no value after the key.
        case nothing
        case text(String)
        case list([ConfigNode])
        /// The members in the order of the text. No two have the same name.
        case group([Member])
    }

    struct Member: Hashable, Sendable {
        var key: String
        var location: ConfigLocation
        var value: ConfigNode
    }

    var content: Content
    var location: ConfigLocation
}

extension ConfigNode {
    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: YAML, in UTF-8.
    ///   - file: The path for messages.
    /// - Returns: The outermost value.
    /// - Throws: ``ConfigProblem`` if it is no YAML.
    static func read(_ bytes: [UInt8], file: String) throws(ConfigProblem) -> ConfigNode {
        do throws(YAMLError) {
            guard let root = try YAMLDocument.read(bytes, limits: limits) else {
                return ConfigNode(content: .nothing, location: .file(file, line: 1, column: 1))
            }
            return ConfigNode(root, file: file)
        } catch {
            throw ConfigProblem(location(error.position, file), error.message(about: "file", limits: limits))
        }
    }

    /// The maximum size of a file in bytes: some ten thousand apps.
    static let mostBytes = 8 << 20
    /// The maximum number of aliases in a file.
    private static let mostAliases = 1000
    private static let limits = YAMLLimits(bytes: mostBytes, aliases: mostAliases)

    /// Where the first address with a password is, of a database or a proxy: `scheme://user:password@host` or `?password=`.
    var firstPassword: ConfigLocation? {
        switch content {
        case .nothing: return nil
        case .text(let text):
            guard let scheme = text.firstRange(of: "://") else { return nil }
            let rest = text[scheme.upperBound...]
            let login = rest.prefix { $0 != "/" && $0 != "?" }
            let hasLogin = login.lastIndex(of: "@").map { login[..<$0].contains(":") } ?? false
            return hasLogin || rest.contains("password=") ? location : nil
        case .list(let items): return items.lazy.compactMap(\.firstPassword).first
        case .group(let members): return members.lazy.compactMap(\.value.firstPassword).first
        }
    }

    private init(_ node: YAMLNode, file: String) {
        location = Self.location(node.position, file)
        switch node.content {
        case .scalar(let scalar): content = node.isEmpty ? .nothing : .text(scalar.text)
        case .sequence(let items): content = .list(items.map { ConfigNode($0, file: file) })
        case .mapping(let members):
            content = .group(
                members.map {
                    Member(
                        key: $0.key.text, location: Self.location($0.keyPosition, file),
                        value: ConfigNode($0.value, file: file))
                })
        }
    }

    private static func location(_ position: YAMLPosition, _ file: String) -> ConfigLocation {
        .file(file, line: position.line, column: position.column)
    }
}

/// Where a value of the configuration is written.
enum ConfigLocation: Hashable, Sendable, CustomStringConvertible {
    /// A position in a file: line and column begin with 1. The path is the one for messages.
    case file(String, line: Int, column: Int)
    /// An environment variable.
    case variable(String)

    /// `pushserve.yaml:3:5`, or the name of the variable.
    var description: String {
        switch self {
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .variable(let name): name
        }
    }

    /// Line and column, to sort by.
    var order: (Int, Int) {
        switch self {
        case .file(_, let line, let column): (line, column)
        case .variable: (.max, 0)
        }
    }
}

/// A mistake in the configuration.
struct ConfigProblem: Error, Hashable, Sendable, CustomStringConvertible {
    var location: ConfigLocation
    /// What is wrong, and what to do about it.
    var message: String
    /// Whether a file that the configuration names does not exist or cannot be read.
    var isMissingFile = false

    init(_ location: ConfigLocation, _ message: String, isMissingFile: Bool = false) {
        (self.location, self.message, self.isMissingFile) = (location, message, isMissingFile)
    }

    /// `pushserve.yaml:3:5: Unknown key "rat". Did you mean "rate"?`
    var description: String { "\(location): \(message)" }
}

/// All mistakes of a configuration: at least one.
struct ConfigProblems: Error, Equatable, Sendable {
    var problems: [ConfigProblem]

    /// In the order of the file; those of the environment after it.
    var inOrder: [ConfigProblem] {
        problems.sorted { $0.location.order < $1.location.order }
    }
}
