/// A value of a configuration with its location, from a file or from the environment.
package struct ConfigNode: Hashable, Sendable {
    package indirect enum Content: Hashable, Sendable {
        /// There is no value after the key.
        case nothing
        case text(String)
        case list([ConfigNode])
        /// The members in the order of the text. No two have the same name.
        case group([Member])
    }

    package struct Member: Hashable, Sendable {
        package var key: String
        package var location: ConfigPosition
        package var value: ConfigNode

        package init(key: String, location: ConfigPosition, value: ConfigNode) {
            (self.key, self.location, self.value) = (key, location, value)
        }
    }

    package var content: Content
    package var location: ConfigPosition

    package init(content: Content, location: ConfigPosition) { (self.content, self.location) = (content, location) }
}

extension ConfigNode {
    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: YAML, in UTF-8.
    ///   - file: The path for messages.
    ///   - limits: How large the text may be.
    /// - Returns: The outermost value.
    /// - Throws: ``ConfigMistake`` if it is no YAML.
    package static func read(_ bytes: [UInt8], file: String, limits: YAMLLimits) throws(ConfigMistake) -> ConfigNode {
        do throws(YAMLError) {
            guard let root = try YAMLDocument.read(bytes, limits: limits) else {
                return ConfigNode(content: .nothing, location: .file(file, line: 1, column: 1))
            }
            return ConfigNode(root, file: file)
        } catch {
            throw ConfigMistake(location(error.position, file), error.message(about: "file", limits: limits))
        }
    }

    /// The members of a group, none of an empty value. The name says what the group is, as the beginning of a sentence.
    package func members(_ name: String) throws(ConfigMistake) -> [Member] {
        switch content {
        case .nothing: return []
        case .group(let members): return members
        case .text, .list: throw ConfigMistake(location, "\(name) must consist of lines such as \"key: value\".")
        }
    }

    /// The text of a single value; `nil` if there is none. A list or a group is refused.
    package func single(_ key: String) throws(ConfigMistake) -> String? {
        switch content {
        case .nothing: return nil
        case .text(let text): return text
        case .list, .group: throw ConfigMistake(location, "\"\(key)\" takes one value, not a list or a group.")
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

    private static func location(_ position: YAMLPosition, _ file: String) -> ConfigPosition {
        .file(file, line: position.line, column: position.column)
    }
}

package enum ConfigPosition: Hashable, Sendable, CustomStringConvertible {
    /// A position in a file: line and column begin with 1. The path is the one for messages.
    case file(String, line: Int, column: Int)
    case variable(String)

    /// `pushserve.yaml:3:5`, or the name of the variable.
    package var description: String {
        switch self {
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .variable(let name): name
        }
    }

    /// `pushserve.yaml:3`, or the name of the variable.
    package var lineText: String {
        switch self {
        case .file(let path, let line, _): "\(path):\(line)"
        case .variable(let name): name
        }
    }

    package var order: (Int, Int) {
        switch self {
        case .file(_, let line, let column): (line, column)
        case .variable: (.max, 0)
        }
    }
}

package struct ConfigMistake: Error, Hashable, Sendable, CustomStringConvertible {
    package var location: ConfigPosition
    /// What is wrong, and what to do about it.
    package var message: String
    /// Whether a file that the configuration names does not exist or cannot be read.
    package var isMissingFile = false

    package init(_ location: ConfigPosition, _ message: String, isMissingFile: Bool = false) {
        (self.location, self.message, self.isMissingFile) = (location, message, isMissingFile)
    }

    /// `pushserve.yaml:3:5: Unknown key "rat". Did you mean "rate"?`
    package var description: String { "\(location): \(message)" }
}
