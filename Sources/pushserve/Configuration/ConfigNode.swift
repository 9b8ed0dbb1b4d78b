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
            let limits = YAMLLimits(bytes: mostBytes, aliases: mostAliases)
            guard let root = try YAMLDocument.read(bytes, limits: limits) else {
                return ConfigNode(content: .nothing, location: .file(file, line: 1, column: 1))
            }
            return ConfigNode(root, file: file)
        } catch {
            throw problem(error, file: file)
        }
    }

    /// The maximum size of a file in bytes: some ten thousand apps.
    static let mostBytes = 8 << 20
    /// The maximum number of aliases in a file.
    private static let mostAliases = 1000

    private init(_ node: YAMLNode, file: String) {
        location = Self.location(node.position, file)
        switch node.content {
        case .scalar(let scalar):
            let isEmpty = scalar.isPlain && ["", "~", "null"].contains(scalar.text)
            content = isEmpty ? .nothing : .text(scalar.text)
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

    private static func problem(_ error: YAMLError, file: String) -> ConfigProblem {
        let message =
            switch error.kind {
            case .tooLong: "The file is larger than \(mostBytes >> 20) MiB, the maximum for a configuration."
            case .notUTF8: "The file is not UTF-8: save it as UTF-8."
            case .syntax(let what): "This is not valid YAML: \(advice(what))."
            case .duplicateKey(let key, let first):
                "\"\(key.printable)\" occurs twice, also in line \(first.line). Rename or remove one of the two."
            case .keyIsNoScalar: "A key must be a word."
            case .tooManyValues, .tooDeep: "The file has too many values or levels for a configuration."
            case .tooManyAliases:
                "The file has more than \(mostAliases) YAML aliases (*name). Replace the aliases with their values."
            case .noMemory: "There is not enough memory to read the file."
            }
        return ConfigProblem(location(error.position, file), message)
    }

    private static func advice(_ problem: String) -> String {
        if problem.contains("cannot start any token") { return "a tab or a reserved character; indent with spaces" }
        if problem.contains("mapping values are not allowed") {
            return "a second colon in one line; put the value in quotation marks"
        }
        return problem
    }
}
